// What the days of retention would remove, next to their fields.
const NONE = JSON.stringify({ recordings_days: null, transcripts_days: null, results_days: null });

/** `ask` returns what the server says of a document, or null when it did not answer. */
export function foresee(ask) {
  const notice = document.querySelector("[data-forecast]");
  let foreseen = NONE;

  /** Show what the days would remove, once they differ from those shown last. */
  async function forecast(whole) {
    const days = JSON.stringify(whole.retention);
    if (!notice || days === foreseen) return;
    foreseen = days;
    const found = await ask(whole);
    if (!found || foreseen !== days) return;
    notice.textContent = found.body.sentence ?? "";
    notice.hidden = !found.body.sentence;
  }

  return { forecast };
}
