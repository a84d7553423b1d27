// Round numbers for axes and tables.

/** A step of 1, 2, 2.5 or 5 times a power of ten, so that there are at most `most` of them. */
export function niceStep(range, most) {
  const raw = Math.max(range, 1) / Math.max(most, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].find((one) => one * power >= raw) * power;
  return Math.max(1, Math.round(step));
}

export function ticks(range, most) {
  const step = niceStep(range, most);
  return Array.from({ length: Math.floor(range / step) + 1 }, (_, n) => n * step);
}

/** The value at x of a line through points that go from left to right. */
export function at(xs, ys, x) {
  if (x <= xs[0]) return ys[0];
  for (let n = 1; n < xs.length; n += 1) {
    if (x <= xs[n]) {
      const run = xs[n] - xs[n - 1];
      return run ? ys[n - 1] + ((ys[n] - ys[n - 1]) * (x - xs[n - 1])) / run : ys[n];
    }
  }
  return ys.at(-1);
}

/** The forecast from now on: asked, expected, low and high, the first point being now. */
export function ahead(progress) {
  const { forecast } = progress.figures;
  if (forecast.state !== "ready" || !progress.open) return null;
  const points = forecast.path.map(([more, ...settled]) => [forecast.asked + more, ...settled.map((one) => Math.min(forecast.settled + one, progress.cells))]);
  const later = points.filter(([asked]) => asked > progress.asked).map(([asked, ...settled]) => [asked, ...settled.map((one) => Math.max(one, progress.settled))]);
  if (!later.length) return null;
  return [[progress.asked, progress.settled, progress.settled, progress.settled], ...later];
}

/** The figures in items where one label holds for each, else in labels of items: all, settled, implied, the curve. */
export function inUnits(progress) {
  const { figures, one, items, done } = progress;
  const unit = one ? { one: "item", many: "items", settled: "labelled" } : { one: "label of an item", many: "labels of items", settled: "settled" };
  if (!one) return { ...progress, unit };
  const { curve, forecast } = figures;
  return { ...progress, unit, cells: items, settled: done, implied: progress.unasked, open: items - done,
    figures: { ...figures, curve: { ...curve, settled: curve.done, answered: curve.done.map((n) => Math.min(n, done - progress.unasked)) }, forecast: { ...forecast, settled: forecast.done } } };
}

/** Questions still to be asked, to the end and to the target: expected, at least, at most, counted from now. */
export function left(progress) {
  const { forecast } = progress.figures;
  if (forecast.state !== "ready") return null;
  const since = progress.asked - forecast.asked;
  const now = (numbers) => numbers.map((one) => Math.max(0, one - since));
  const [questions, low, high] = now([forecast.questions, forecast.low, forecast.high]);
  const target = forecast.to_target === undefined ? null : now([forecast.to_target, ...forecast.to_target_interval]);
  return { questions, low, high, days: forecast.a_day ? questions / forecast.a_day : null, target: target && { questions: target[0], low: target[1], high: target[2] } };
}
