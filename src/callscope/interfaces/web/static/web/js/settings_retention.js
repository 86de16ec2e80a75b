// What the days of retention would remove: next to their fields, and asked before it is saved.
import { isConfirmed } from "./confirm.js";

const NONE = JSON.stringify({ recordings_days: null, transcripts_days: null, results_days: null });

/** `ask` returns what the server says of a document, up to a moment that it named before; null when it did not answer. */
export function foresee(ask) {
  const shown = document.querySelector("[data-forecast]");
  let foreseen = NONE;

  /** Show what the days would remove, once they differ from those shown last. */
  async function forecast(whole) {
    const days = JSON.stringify(whole.retention);
    if (!shown || days === foreseen) return;
    foreseen = days;
    const found = await ask(whole);
    if (found && foreseen === days) show(found.body);
  }

  function show({ sentence, question }) {
    const [keeps, removes] = ["keeps", "removes"].map((name) => shown.querySelector(`[data-${name}]`));
    keeps.hidden = !sentence || Boolean(question);
    removes.hidden = !sentence || !question;
    for (const notice of [keeps, removes]) notice.querySelector("p").textContent = sentence ?? "";
  }

  /** Return whether a document may be saved: new days remove nothing, or what they remove was confirmed.
   * What came to be more while the dialog was open is asked about again. */
  async function isAllowed(whole, former) {
    const days = JSON.stringify(whole.retention);
    if (!shown || days === JSON.stringify(former.retention)) return true;
    foreseen = days;
    let found = await ask(whole);
    while (found) {
      const { question, sentence, counts, until } = found.body;
      show(found.body);
      if (!question) return true;
      if (!(await isConfirmed(question, sentence, shown.dataset.act))) return false;
      found = await ask(whole, until);
      if (found && !found.body.counts?.some((count, kind) => count > (counts[kind] ?? 0))) return true;
    }
    return false;
  }

  return { forecast, isAllowed };
}
