// What became of a manifest on the upload page: what it did at once, and what it does as its files come.
import { toast } from "./app.js";
import { askJson, NoAnswer } from "./server.js";

const MOST_LINES = 100; // of a list of rows
const NAMES_A_QUESTION = 500;

/** Return how to send a manifest and how to count its rows again; `translated` says lines in the words of the page. */
export function watchManifest({ page, part, text, icons, fill, translated, project }) {
  let kept = []; // names whose files are to come

  async function send(file) {
    const notice = part("manifest-notice");
    const show = (kind, words) => {
      notice.className = `notice ${kind}`;
      notice.querySelector("svg").replaceWith(icons[{ good: "check", warn: "warning", bad: "warning" }[kind] ?? "clock"].cloneNode(true));
      notice.querySelector("p").textContent = words;
    };
    part("manifest-result")?.removeAttribute("hidden");
    kept = [];
    part("manifest-tally").hidden = part("errors-part").hidden = part("unmatched-part").hidden = part("repeated-part").hidden = true;
    if (!page.dataset.manifest) return toast(text.noManifest, "bad");
    show("", `${file.name} …`);
    const form = new FormData();
    form.append("careful", "true"); // a person's file, which no program has written a hundred times
    form.append("file", file, file.name);
    try {
      const result = await askJson(page.dataset.manifest, { method: "POST", form });
      const unknown = sayUnknown(result.unknown_columns);
      const read = fill(result.errors.length ? text.rowsSkipped : text.rowsRead, { name: file.name });
      show(result.errors.length || unknown ? "warn" : "good", `${read} ${unknown}`.trim());
      part("manifest-tally").hidden = false;
      part("matched").textContent = result.matched;
      part("errors").textContent = result.errors.length;
      await list("errors", result.errors, sayInOurWords);
      await showKept(result.unmatched);
      await list("repeated", result.repeated ?? [], sayInOurWords);
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      const [said, ...skipped] = error.lines; // why it is refused as a whole, then one line for each wrong row
      const words = await sayInOurWords(said ? [said] : []);
      show("bad", `${file.name}: ${words[0] || document.body.dataset.textFailed}`);
      await list("errors", skipped, sayInOurWords);
    }
  }

  function sayUnknown(columns) {
    const names = Object.entries(columns).map(([name, meant]) => (meant ? fill(text.columnMeant, { name, meant }) : name));
    return names.length ? fill(text.columnsUnused, { names: names.join(", ") }) : "";
  }

  function showKept(names) {
    kept = names;
    part("unmatched").textContent = names.length;
    return list("unmatched", names);
  }

  /** Count the rows of the manifest again whose files have come meanwhile. */
  async function renew() {
    if (!kept.length) return;
    const asked = kept;
    const left = [];
    try {
      for (let at = 0; at < asked.length; at += NAMES_A_QUESTION) {
        const json = { project, names: [], kept: asked.slice(at, at + NAMES_A_QUESTION) };
        left.push(...(await askJson(page.dataset.states, { method: "POST", json })).kept);
      }
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      return; // the next poll asks again
    }
    if (kept !== asked || left.length === asked.length) return; // another manifest was sent, or nothing came
    part("matched").textContent = Number(part("matched").textContent) + asked.length - left.length;
    await showKept(left);
  }

  const sayInOurWords = async (lines) => (await translated(lines, { full: true })).map((each) => each.charAt(0).toLocaleUpperCase() + each.slice(1));

  async function list(name, lines, say = (some) => some) {
    const shown = await say(lines.slice(0, MOST_LINES));
    const more = lines.length - MOST_LINES;
    if (more > 0) shown.push(fill(text.more, { count: more.toLocaleString(document.documentElement.lang) }));
    part(`${name}-part`).hidden = !lines.length;
    part(`${name}-list`).replaceChildren(...shown.map((line) => Object.assign(document.createElement("li"), { textContent: line })));
  }

  return { send, renew };
}
