// A criterion tried on the newest calls, next to its fields: one request for each call, so that any can be the last.
import { toast } from "./app.js";
import { ask } from "./server.js";

const locale = document.documentElement.lang;
const part = (root, name) => root.querySelector(`[data-${name}]`);
const say = (words, values) => words.replace(/\{(\w+)\}/g, (_, name) => values[name]);
const percent = (value) => value.toLocaleString(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
// As the pages write a change: "+1.2", "−0.4", "±0.0".
const signed = (value) => {
  const written = percent(Math.abs(value));
  const sign = written === percent(0) ? "±" : value > 0 ? "+" : "−";
  return sign + written;
};
const tenths = (value) => Math.sign(value) * Math.round(Math.abs(value) * 10);
const mean = (values) => values.reduce((sum, each) => sum + each, 0) / values.length;

/**
 * Let every button of `editor` try its criterion. `shown(index)` returns the whole document, `texts` are sentences
 * of the page; `onRefused(errors)` shows the faults of the document, `onFailed(error)` a server that did not answer.
 */
export function offerTrials(editor, url, texts, { shown, onRefused, onFailed }) {
  editor.addEventListener("click", (event) => {
    const button = event.target.closest("[data-try-criterion]");
    if (button && !button.ariaDisabled) prepare(button);
  });
  editor.addEventListener("input", () => {
    for (const note of editor.querySelectorAll(".is-tried [data-stale]")) note.hidden = false;
  });

  // Return the response when it is usable; else say why not, and return null.
  async function post(json) {
    try {
      const response = await ask(url, { method: "POST", json });
      if (response.ok) return await response.text();
      const body = await response.json();
      if (body.errors) onRefused(body.errors);
      else toast(body.detail, "bad");
    } catch (error) {
      onFailed(error);
    }
    return null;
  }

  async function prepare(button) {
    const item = button.closest("[data-item]");
    const result = part(button.closest("[data-criterion-trial]"), "criterion-result");
    const index = new Map();
    const sent = shown(index);
    const path = [...index].find(([, element]) => element === item)[0];
    const [, section, at] = /sections\[(\d+)\]\.criteria\[(\d+)\]/.exec(path);
    const criterion = sent.rubric.sections[section].criteria[at].id;
    button.ariaDisabled = "true";
    result.replaceChildren(Object.assign(document.createElement("p"), { className: "quiet-text", textContent: texts.trying }));
    const html = await post({ document: sent, criterion });
    button.ariaDisabled = null;
    result.replaceChildren();
    if (html === null) return;
    result.innerHTML = html; // of our own templates
    const panel = result.firstElementChild;
    if (!JSON.parse(panel.dataset.calls).length) return;
    part(panel, "run").addEventListener("click", () => run(panel, sent));
    if (panel.dataset.costs === "no") run(panel, sent);
    else part(panel, "run").focus();
  }

  async function run(panel, sent) {
    const calls = JSON.parse(panel.dataset.calls);
    const stop = part(panel, "stop");
    const bar = panel.querySelector("progress");
    let isStopped = false;
    let unread = 0;
    part(panel, "run").hidden = true;
    for (const each of [stop, bar, panel.querySelector("table")]) each.hidden = false;
    panel.classList.add("is-tried");
    stop.addEventListener("click", () => { isStopped = true; });
    for (const [at, call] of calls.entries()) {
      if (isStopped || !panel.isConnected) break;
      const html = await post({ document: sent, criterion: panel.dataset.criterion, call });
      if (html === null) {
        unread += 1;
        if (unread > 1) break; // it will not be better for the others
      } else show(panel, html);
      bar.value = at + 1;
      part(panel, "going").textContent = say(panel.dataset.textGoing, { done: at + 1, all: calls.length });
    }
    const hadFocus = stop === document.activeElement;
    for (const each of [stop, bar, part(panel, "going")]) each.hidden = true;
    if (hadFocus) panel.closest("[data-criterion-trial]").querySelector("[data-try-criterion]").focus();
    sum(panel, isStopped, unread);
  }

  function show(panel, html) {
    const row = document.createElement("template");
    row.innerHTML = html; // of our own templates
    const shown = row.content.querySelector("tr");
    part(panel, shown.dataset.kind === "differs" ? "differs" : "same").append(shown);
  }

  // Scores are compared over the calls that have both.
  function sum(panel, isStopped, unread) {
    const rows = [...panel.querySelectorAll("tbody tr")];
    const both = rows.filter((row) => row.dataset.before !== "" && row.dataset.after !== "");
    const count = (kind) => rows.filter((row) => row.dataset.kind === kind).length;
    const sameAnswer = count("same_answer");
    const apart = rows.filter((row) => "apart" in row.dataset).length;
    const values = { changed: count("differs"), done: rows.length, version: panel.dataset.version };
    let words = panel.dataset.textNoScores;
    let isRoundedApart = false;
    if (both.length) {
      const before = mean(both.map((row) => Number(row.dataset.before)));
      const after = mean(both.map((row) => Number(row.dataset.after)));
      words = panel.dataset.textSummary;
      isRoundedApart = tenths(after) - tenths(before) !== tenths(after - before);
      Object.assign(values, { before: percent(before), after: percent(after), change: signed(after - before), scored: both.length });
    }
    const more = [isRoundedApart && panel.dataset.textRounded, sameAnswer && say(panel.dataset.textSameAnswer, { count: sameAnswer }), apart && say(panel.dataset.textApart, { count: apart }), isStopped && panel.dataset.textStopped, unread && say(panel.dataset.textUnread, { count: unread })];
    part(panel, "summary").textContent = [say(words, values), ...more.filter(Boolean)].join(" ");
  }
}
