// Why a label follows from others, found by the rules that need no search; the server explains the rest.

/** The first reason for a label's value among the known labels: {kind, from, rule}; null where there is no simple one. */
export function reasonFor(onto, label, value, known) {
  const is = (other, wanted) => known.get(other) === wanted;
  if (value) {
    const child = onto.children(label).find((one) => is(one, true));
    if (child !== undefined) return { kind: "up", from: [child], rule: null };
  } else {
    for (const rule of onto.excluded.get(label) ?? []) {
      const other = rule.labels.find((one) => one !== label && is(one, true));
      if (other !== undefined) return { kind: "apart", from: [other], rule };
    }
    const parent = onto.parents(label).find((one) => is(one, false));
    if (parent !== undefined) return { kind: "down", from: [parent], rule: null };
  }
  const whole = (onto.mentions.get(label) ?? []).find((rule) => rule.labels.every((one) => one === label || known.has(one)));
  return whole ? { kind: "rule", from: whole.labels.filter((one) => one !== label), rule: whole } : null;
}

/**
 * The chain from an answer to all that it settled, as lines {labels, value, reason}; the first is the answer.
 * Labels that follow in the same way from the same line share one.
 */
export function chain(onto, answer, settled, before = new Map()) {
  const known = new Map(before).set(answer.label, answer.value);
  const lines = [{ labels: [answer.label], value: answer.value, reason: null }];
  let open = onto.labels.filter((label) => label in settled && label !== answer.label);
  while (open.length) {
    const round = new Map();
    for (const label of open) {
      const reason = reasonFor(onto, label, settled[label], known);
      if (!reason) continue;
      const same = JSON.stringify([reason.kind, reason.from, settled[label], reason.kind === "rule" && reason.rule.text]);
      const line = round.get(same) ?? { labels: [], value: settled[label], reason };
      line.labels.push(label);
      round.set(same, line);
    }
    if (!round.size) break;
    // Labels right above or beside come first: those below follow from it.
    const found = [...round.values()].sort((a, b) => ORDER[a.reason.kind] - ORDER[b.reason.kind]);
    const first = found.filter((line) => line.reason.kind === found[0].reason.kind);
    for (const line of first) {
      lines.push(line);
      for (const label of line.labels) known.set(label, line.value);
    }
    open = open.filter((label) => !known.has(label));
  }
  if (open.length) {
    const [yes, no] = [true, false].map((value) => open.filter((label) => settled[label] === value));
    for (const [labels, value] of [[yes, true], [no, false]]) {
      if (labels.length) lines.push({ labels, value, reason: { kind: "other", from: [], rule: null } });
    }
  }
  return lines;
}

const ORDER = { up: 0, apart: 1, rule: 2, down: 3 };
