// Names of labels, and the label that a typed name means; for all of js/items.

/** The displayed name of a label: its readable name if the ontology has one. */
export const called = (onto, label) => onto.name?.(label) ?? label;

/** Whether what someone typed may mean a label. */
export function matches(onto, label, typed) {
  if (onto.matches) return onto.matches(label, typed);
  return label.toLowerCase().includes(typed.trim().toLowerCase());
}

/** The labels that someone may mean who typed this in full: the label itself, else labels of that name, else of that synonym. */
export function meantBy(onto, typed) {
  const wanted = typed.trim().toLowerCase();
  if (!wanted) return [];
  if (onto.labels.includes(typed.trim())) return [typed.trim()];
  const named = onto.labels.filter((one) => one.toLowerCase() === wanted || called(onto, one).toLowerCase() === wanted);
  if (named.length) return named;
  return onto.labels.filter((one) => onto.synonyms?.(one).some((other) => other.toLowerCase() === wanted));
}
