// A day shift that ends before it starts is allowed, and seldom meant: how many hours it then has stands below its fields.
export function showDay(editor) {
  const shown = editor.querySelector("[data-over-midnight]");
  if (!shown) return;
  const [start, end] = ["day_start", "day_end"].map((name) => hourOf(editor.querySelector(`[data-field=${name}] input`).value));
  const isOver = start !== null && end > 0 && end < start;
  const words = isOver ? shown.dataset.overMidnight.replace("{hours}", 24 - start + end) : "";
  const notice = shown.querySelector(".notice");
  notice.hidden = !isOver;
  if (notice.querySelector("p").textContent !== words) notice.querySelector("p").textContent = words;
}

/** Return the hour that a text names, or null for what the server refuses. */
const hourOf = (text) => (/^\d{1,2}([.,]0+)?$/.test(text.trim()) && parseInt(text, 10) < 24 ? parseInt(text, 10) : null);
