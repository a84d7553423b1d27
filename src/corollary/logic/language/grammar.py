"""The grammar of the notation: its words, and its rules as lark reads them."""

from __future__ import annotations

#: A name that needs no quotes: word characters, with `. / : -` inside.
BARE = r"\w+(?:[.\/:\-]+\w+)*"

FORMULA_WORDS = frozenset({"not", "and", "or", "implies", "iff", "true", "false"})
STATEMENT_WORDS = ("labels", "exclusive", "equivalent", "rule")

#: Of a formula.
FORMULA = rf"""
?formula: implication
    | formula (IFF | IFF_WORD) implication -> iff
?implication: disjunction
    | disjunction (IMPLIES | IMPLIES_WORD) implication -> implies
?disjunction: conjunction
    | conjunction ((OR | OR_WORD) conjunction)+ -> any_of
?conjunction: negation
    | negation ((AND | AND_WORD) negation)+ -> all_of
?negation: (NOT|NOT_WORD) negation -> negate
    | "(" formula ")"
    | TRUE -> true
    | FALSE -> false
    | (BARE | QUOTED) -> label
    | atom

atom: (BARE | QUOTED) "(" (BARE | QUOTED) ("," (BARE | QUOTED))? ")"

IFF: "<->"
IMPLIES: ">>" | "->"
OR: "|"
AND: "&"
NOT: "~" | "!"
IFF_WORD: "iff"
IMPLIES_WORD: "implies"
OR_WORD: "or"
AND_WORD: "and"
NOT_WORD: "not"
TRUE: "true"
FALSE: "false"
BARE: /{BARE}/
QUOTED: /"(?:[^"\\\n]|\\["\\])*"/
COMMENT: /#[^\n]*/
%ignore COMMENT
"""

#: How much a soft constraint weighs: `(weight 3)`.
WEIGHT = r"\([^\S\n]*weight\b[^()\n]*\)"
#: The end of a statement's word, with a weight or without.
_COLON = rf"[^\S\n]*(?:{WEIGHT}[^\S\n]*)?:"

#: Of a whole text, on top of the formulas.
DOCUMENT = rf"""
document: statement? (_NEWLINE statement?)*
?statement: LABELS names -> group
    | EXCLUSIVE names -> group
    | EXACTLY_ONE names -> group
    | AT_LEAST_ONE names -> group
    | EQUIVALENT names -> group
    | (BARE | QUOTED) WEIGHT? ">" names -> children
    | (BARE | QUOTED) WEIGHT? ">" EXCLUSIVE names -> children
    | (BARE | QUOTED) WEIGHT? ">" EXACTLY_ONE names -> children
    | (BARE | QUOTED) WEIGHT? ">" AT_LEAST_ONE names -> children
    | (BARE | QUOTED) WEIGHT? COVERED_BY names -> children
    | RULE formula -> rule
    | RELATION (BARE | QUOTED) ("(" formula "," formula ")")? property* -> relation
property: SYMMETRIC | FUNCTIONAL | INVERSE FUNCTIONAL | INVERSE (BARE | QUOTED)
names: (BARE | QUOTED) ("," (BARE | QUOTED))*

LABELS.2: /labels[^\S\n]*:/
EXCLUSIVE.2: /exclusive{_COLON}/
EXACTLY_ONE.2: /exactly[^\S\n]+one{_COLON}/
AT_LEAST_ONE.2: /at[^\S\n]+least[^\S\n]+one{_COLON}/
EQUIVALENT.2: /equivalent{_COLON}/
RULE.2: /rule{_COLON}/
RELATION.2: /relation(?=[^\S\n]+(?:{BARE}|"(?:[^"\\\n]|\\.)*")[^\S\n]*(?:\(|(?:symmetric|functional|inverse)\b))/
SYMMETRIC.2: /symmetric(?!\w)/
FUNCTIONAL.2: /functional(?!\w)/
INVERSE.2: /inverse(?!\w)/
WEIGHT.2: /{WEIGHT}/
COVERED_BY.2: /covered[^\S\n]+by(?!\w)/
_NEWLINE: /\n/
BLANK: /[^\S\n]+/
%ignore BLANK
"""
