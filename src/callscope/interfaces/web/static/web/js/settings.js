// The editor of a part of a project's settings: fields ↔ its settings, checked within the whole document while somebody types.
import { settleLists, toast, unsay } from "./app.js";
import { offerMarks } from "./change_marks.js";
import { showHeads } from "./criterion_heads.js";
import { offerTrials } from "./criterion_trial.js";
import { addItem, dropEmpty, fill, locate, read } from "./document.js";
import { clear, isIdOfNameless, isUntouched, place, touchAll } from "./field_errors.js";
import { offerFirstFix } from "./first_fix.js";
import { warnOnLeaving } from "./leaving.js";
import { offerIds, suggestId } from "./new_ids.js";
import "./old_places.js";
import { offerDragging } from "./reorder.js";
import { offerStart } from "./rubric_start.js";
import { ask, NoAnswer } from "./server.js";
import { offerYaml } from "./settings_as_yaml.js";
import { showConflict } from "./settings_conflict.js";
import { offerReplay } from "./settings_replay.js";
import { foresee } from "./settings_retention.js";
import { showDay } from "./settings_shifts.js";
import { offerTry } from "./settings_try.js";

const CHECK_AFTER_MS = 400;
const page = document.getElementById("settings");
const text = Object.fromEntries(Object.entries(page.dataset).filter(([key]) => key.startsWith("text")).map(([key, value]) => [key[4].toLowerCase() + key.slice(5), value]));
const mayWrite = page.dataset.mayWrite === "yes";
const editor = page.querySelector("[data-editor]");
const plural = new Intl.PluralRules(document.documentElement.lang);
const part = (name, root = page) => root.querySelector(`[data-${name}]`);
let whole = JSON.parse(page.dataset.document); // as stored: what the page has no fields for stays
let forgetEstimate = () => {};
let rest = JSON.parse(page.dataset.draftRest ?? "{}"); // what a draft changes on other pages
let version = Number(page.dataset.version);
let stored = "";
let drafted = ""; // what the fields showed of a draft at first, which its replay keeps
let asked = 0;
let waiting = 0;
let isSaving = false;
let isLeaving = false;
let problems = [];

const marks = offerMarks(editor, text);
const firstFix = offerFirstFix(text, showFirst);
const removal = foresee((document, until) => reply(page.dataset.retention, { document, until }));

fill(editor, whole);
for (const item of editor.querySelectorAll("[data-item]")) dress(item);
stored = JSON.stringify(read(editor));
marks.remember(JSON.parse(stored));
settleLists();
show();
markUnjudged(JSON.parse(page.dataset.unjudged ?? "[]"));
delete page.dataset.filling;
if (mayWrite && page.dataset.draft) take({ ...whole, ...JSON.parse(page.dataset.draft) }, true);
drafted = JSON.stringify(read(editor));
removal.forecast(whole);

/** Show another document in the fields: that of a draft, which is marked as such, or any other. */
function take(document, isDraft = false) {
  fill(editor, document);
  for (const item of editor.querySelectorAll("[data-item]")) dress(item);
  marks.remember(JSON.parse(stored), isDraft);
  settleLists();
  tell([]);
}

// A draft has an address until it is saved: a reload, or going back from its replay, shows it again.
function closeDraft() {
  part("draft-notice").remove();
  rest = {};
  for (const words of page.querySelectorAll("[data-once-saved]")) words.textContent = words.dataset.onceSaved;
  history.replaceState(null, "", location.pathname);
}

/** Return the whole document with what the fields of this page hold, and the rest of the draft that they show. */
function shown(index = new Map()) {
  return { ...whole, ...rest, ...read(editor, "", index) };
}

// Lists: add, move, remove ----------------------------------------------------------------------------------

function dress(item) {
  const tools = [...item.querySelectorAll("[data-tools]")].find((each) => each.closest("[data-item]") === item);
  if (!mayWrite || !tools || tools.childElementCount) return;
  tools.role = "toolbar";
  tools.dataset.listArrows = "button";
  const acts = { up: () => item.previousElementSibling?.before(item), down: () => item.nextElementSibling?.after(item), remove: () => remove(item) };
  for (const [name, act] of Object.entries(acts)) {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "button quiet", textContent: text[name], title: text[name] });
    button.dataset.tool = name;
    button.addEventListener("click", () => {
      act();
      if (name === "remove") changed();
      else {
        button.focus();
        sayMoved(item);
      }
    });
    tools.append(button);
  }
}

function sayMoved(item) {
  const items = [...item.parentElement.children];
  const words = { name: nameOf(item), at: items.indexOf(item) + 1, all: items.length };
  document.getElementById("announcement").textContent = text.moved.replace(/\{(\w+)\}/g, (_, key) => words[key]);
  changed();
}

if (mayWrite) offerDragging(editor, sayMoved);

function remove(item) {
  const list = item.closest("[data-list]");
  const around = item.parentElement;
  const next = item.nextElementSibling;
  const back = () => {
    around.insertBefore(item, next?.parentElement === around ? next : null);
    (item.querySelector(":scope > summary") ?? item.querySelector("input")).focus();
    changed();
  };
  item.remove();
  list.querySelector(":scope > [data-add]").focus();
  toast(text.removed.replace("{name}", nameOf(item)), "", { label: text.undo, press: back });
}

/** Return what an item of a list is called: its name, text or code. */
function nameOf(item) {
  const named = ["name", "text", "code"].map((field) => item.querySelector(`[data-field=${field}] input`)).find(Boolean);
  return named?.value.trim() || item.querySelector("[data-field=phrases] textarea")?.value.split("\n")[0].trim() || text.new;
}

editor.addEventListener("click", (event) => {
  const button = event.target.closest("[data-add]");
  if (!button) return;
  const item = addFresh(button.closest("[data-list]"));
  item.querySelector("[data-field=name] input, [data-field=text] input, [data-field=code] input, [data-field=phrases] textarea")?.focus();
  changed();
});

/** Add an empty item to the list; nothing is wrong with it until it was left, or is saved. */
function addFresh(list) {
  const item = addItem(list, list.dataset.list === "criteria" ? { max_points: 10, rule: {} } : list.dataset.list === "sections" ? { criteria: [{ max_points: 10, rule: {} }] } : {});
  for (const each of [item, ...item.querySelectorAll("[data-item]")]) {
    dress(each);
    each.dataset.fresh = "";
    for (const field of each.querySelectorAll("[data-field]")) field.dataset.untouched = "";
    if (each.tagName === "DETAILS") each.open = true;
  }
  return item;
}

/** Offer a first code where codes are used, and take it away again while it is empty. */
function offerCode(mode) {
  const list = editor.querySelector("[data-list=codes]");
  const items = part("items", list);
  if (mode === "predefined" && !items.childElementCount) addFresh(list);
  if (mode !== "predefined") dropEmpty(items);
}

// Changes, checked by the server ----------------------------------------------------------------------------

editor.addEventListener("input", (event) => {
  suggestId(editor, event.target);
  const optional = event.target.matches("[data-switch]") && event.target.closest("[data-optional]");
  if (optional) part("body", optional).hidden = !event.target.checked;
  if (event.target.matches("[data-field=mode] select")) offerCode(event.target.value);
  changed();
});

// What nobody has filled in yet is not wrong: the fields of a new part show faults once they were left, or when it is saved.
editor.addEventListener("focusout", (event) => {
  const field = event.target.closest("[data-untouched]");
  if (!field) return;
  delete field.dataset.untouched;
  changed();
});

function changed() {
  settleLists();
  forgetEstimate();
  for (const each of [text.saved, text.same]) unsay(each);
  show();
  clearTimeout(waiting);
  waiting = setTimeout(check, CHECK_AFTER_MS);
}

async function check() {
  const number = (asked += 1);
  const found = await reply(page.dataset.check, { document: shown() });
  if (!found || number !== asked) return;
  tell(found.body.errors ?? []);
  if (found.body.unjudged) markUnjudged(found.body.unjudged);
  if (!problems.length) removal.forecast(shown());
}

/** Mark the criteria that nobody can judge here. */
function markUnjudged(paths) {
  const index = new Map();
  read(editor, "", index);
  for (const mark of editor.querySelectorAll("[data-nobody]")) mark.hidden = true;
  for (const path of paths) if (index.has(path)) part("nobody", index.get(path)).hidden = false;
}

/** Return {status, body} of a POST; null, with a toast, when nothing usable came back. */
async function reply(url, json) {
  try {
    const response = await ask(url, { method: "POST", json });
    const body = await response.json();
    for (const each of [text.failed, text.signedOut]) unsay(each);
    if (response.status < 400 || body.errors) return { status: response.status, body };
    toast(body.detail ?? text.failed, "bad");
  } catch (error) {
    sayFailed(error);
  }
  return null;
}

function sayFailed(error) {
  if (error.status === 401) toast(text.signedOut, "bad", { label: text.signIn, href: page.dataset.signIn });
  else toast(text.failed, "bad");
  if (!(error instanceof NoAnswer)) console.error(error);
}

/** Show what is wrong with the whole of it, with fields that nobody has filled in yet, too; say so at a button. */
function tellAll(errors, button = null) {
  touchAll(editor);
  tell(errors);
  if (button && problems.length) firstFix.say(button, problems.length);
}

function tell(errors) {
  clear(page);
  const index = new Map();
  read(editor, "", index);
  problems = errors.flatMap(({ path, reason }, n) => {
    const [element, rest] = locate(index, path);
    if (element && (isUntouched(element) || isIdOfNameless(element))) return [];
    const line = /^\[(\d+)\]/.exec(rest);
    const words = element ? (line ? text.line.replace("{number}", Number(line[1]) + 1).replace("{reason}", () => reason) : reason) : path ? `${path}: ${reason}` : reason[0].toUpperCase() + reason.slice(1);
    return place(element ?? editor, words, n);
  });
  problems.sort((one, other) => (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
  firstFix.update(problems.length);
  show();
}

// What the page says about itself ---------------------------------------------------------------------------

function show() {
  const current = read(editor);
  if (current.rubric) {
    const criteria = current.rubric.sections.flatMap((section) => section.criteria);
    const sum = criteria.reduce((all, each) => all + Math.max(Number(each.max_points) || 0, 0), 0);
    const points = Number(sum.toFixed(6)).toLocaleString(document.documentElement.lang);
    part("rubric-sum").textContent = criteria.length
      ? text.sum.replace("{criteria}", criteria.length).replace("{points}", points)
      : text.noCriteria;
  }
  showHeads(editor, text);
  showDay(editor);
  if (!mayWrite) return;
  marks.mark(part("draft-notice"));
  for (const tools of editor.querySelectorAll("[data-tools]")) {
    tools.ariaLabel = nameOf(tools.closest("[data-item]"));
    for (const button of tools.children) button.ariaLabel = `${button.textContent}: ${tools.ariaLabel}`;
  }
  const isDirty = JSON.stringify(current) !== stored;
  const counted = page.querySelector("[data-lint-count]");
  const state = problems.length ? (plural.select(problems.length) === "one" ? text.oneProblem : text.problems).replace("{count}", problems.length) : isDirty ? text.unsaved : (counted?.dataset.lintCount ?? "");
  if (part("save-state").textContent !== state) part("save-state").textContent = state;
  part("save-bar").classList.toggle("is-wrong", problems.length > 0);
  part("save-bar").classList.toggle("is-dirty", isDirty);
  part("save-button").classList.toggle("primary", isDirty);
  part("show-first").hidden = !problems.length;
}

part("show-first")?.addEventListener("click", showFirst);

function showFirst() {
  const first = problems.find((each) => each.isConnected);
  if (first?.matches("p")) first.tabIndex = -1;
  if (first) reveal(first);
}

function reveal(element) {
  for (let around = element.closest("details"); around; around = around.parentElement.closest("details")) around.open = true;
  element.focus();
  element.scrollIntoView({ block: "center" });
}

warnOnLeaving(() => mayWrite && !isLeaving && ![stored, part("draft-notice") && drafted].includes(JSON.stringify(read(editor))));
window.addEventListener("pageshow", () => { isLeaving = false; });

/** Go where what the fields hold is kept. */
function leave(url) {
  isLeaving = true;
  location.assign(url);
}

// Save, YAML, try -------------------------------------------------------------------------------------------

// Enter in a field presses the button.
editor.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (isSaving) return; // the second press of a double click
  isSaving = true;
  clearTimeout(waiting);
  asked += 1;
  const sent = read(editor);
  const isAllowed = await removal.isAllowed({ ...whole, ...sent }, whole);
  const over = Number(event.submitter?.value) || undefined; // of the button that saves over what others saved
  const found = isAllowed && (await reply(page.dataset.save, { document: sent, version, over }));
  isSaving = false;
  if (!found) return;
  tellAll(found.body.errors);
  if (showConflict(found.body.notice)) return;
  if (found.body.errors.length) {
    showFirst();
    return;
  }
  if (found.body.merged) {
    leave(location.pathname); // which shows what others changed, too
    return;
  }
  version = found.body.version;
  whole = found.body.document;
  marks.remember(sent);
  stored = JSON.stringify(sent);
  if (part("draft-notice")) closeDraft();
  show();
  for (const each of [text.taken, part("start")?.dataset.textFilled]) unsay(each); // that nothing is saved yet
  if (found.body.changed) toast(text.saved, "good", page.dataset.calls ? { label: text.again, href: page.dataset.calls } : null);
  else toast(text.same);
  lint();
});

// Lint: on demand, and of what was saved -----------------------------------------------------------------------

// Ask for a part of the page about the document as it is in the editor, while its button rests.
async function showAnswer(button, result, url, waiting, more = {}, refuse = (words) => toast(words, "bad")) {
  if (button.ariaDisabled) return; // still at it; a disabled button would lose the focus
  button.ariaDisabled = "true";
  result.replaceChildren(Object.assign(document.createElement("p"), { className: "quiet-text", textContent: waiting }));
  try {
    const response = await ask(url, { method: "POST", json: { document: shown(), ...more } });
    if (response.ok) result.innerHTML = await response.text(); // of our own templates
    else {
      result.replaceChildren();
      const body = await response.json();
      if (body.errors) tellAll(body.errors, button);
      else refuse(body.detail ?? text.failed);
    }
  } catch (error) {
    result.replaceChildren();
    sayFailed(error);
  }
  button.ariaDisabled = null;
}

async function lint() {
  if (!part("lint-button")) return;
  await showAnswer(part("lint-button"), part("lint-result"), page.dataset.lint, text.looking, { part: page.dataset.part });
  show();
}

/** Open what a finding is about, and put the cursor there. */
part("lint-result")?.addEventListener("click", (event) => {
  const path = event.target.closest("[data-lint-place]")?.dataset.lintPlace;
  if (!path) return;
  const index = new Map();
  read(editor, "", index);
  const [element] = locate(index, path);
  if (element) reveal(element.querySelector(":scope > summary, input, select, textarea") ?? element);
});

part("lint-button")?.addEventListener("click", async () => {
  await lint();
  part("lint-result").scrollIntoView({ block: "nearest" });
});

offerYaml({
  convert: (body) => reply(page.dataset.yaml, { ...body, part: page.dataset.part }),
  shown,
  tell,
  take,
}, text);
offerIds(editor);
offerStart(editor, { take: (document) => { take({ ...shown(), ...document }); changed(); }, onFailed: sayFailed });

offerTry((button, call, refuse) => showAnswer(button, part("trial"), page.dataset.try, text.trying, { call }, refuse));

offerTrials(editor, page.dataset.tryCriterionUrl, { trying: text.preparing }, {
  shown,
  onRefused: (errors) => {
    tellAll(errors);
    showFirst();
  },
  onFailed: sayFailed,
});

forgetEstimate = offerReplay({ send: (json) => reply(page.dataset.replays, { document: shown(), ...json }), tell: tellAll, leave });
