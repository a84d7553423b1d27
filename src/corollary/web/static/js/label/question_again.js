// A question made anew for something that was answered before this tab was opened.
import { get } from "../shared/api.js";
import { SENT } from "../shared/pick_options.js";

/** The question behind an earlier answer; what each answer would settle is not known here. */
export async function rebuild(onto, { item, label }) {
  const [found, pick] = await Promise.all([get(`items/${encodeURIComponent(item.id)}`), label === null ? pickOf(item) : null]);
  const values = found.values ?? [];
  const open = values.filter((one) => one.value === null).map((one) => one.label);
  return {
    lease: null,
    item: { id: found.id, text: found.text, fields: found.fields, image: found.image },
    label,
    text: onto.grammar.question(found, label),
    if_yes: null,
    if_no: null,
    definition: label === null ? null : onto.about.get(label)?.definition ?? null,
    place: null,
    known: values.filter((one) => one.value !== null && one.label !== label),
    options: open,
    ...(pick?.one ? pick : {}),
    back: true,
  };
}

/** The options of a pick; null if they are hidden or cannot be loaded. */
const pickOf = (item) => get(`options?${new URLSearchParams({ item: item.id, limit: SENT })}`).catch(() => null);
