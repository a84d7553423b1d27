// What labels are called here, and which of them someone means; all of js/items asks this.

/** What people read of a label: its readable name where the ontology has one. */
export const called = (onto, label) => onto.name?.(label) ?? label;

/** Whether what someone typed may mean a label. */
export function matches(onto, label, typed) {
  if (onto.matches) return onto.matches(label, typed);
  return label.toLowerCase().includes(typed.trim().toLowerCase());
}

/** The label that is meant by what someone typed in full: its name, or itself; null where there is none. */
export function meantBy(onto, typed) {
  const wanted = typed.trim().toLowerCase();
  if (!wanted) return null;
  return onto.labels.find((one) => one.toLowerCase() === wanted || called(onto, one).toLowerCase() === wanted) ?? null;
}
