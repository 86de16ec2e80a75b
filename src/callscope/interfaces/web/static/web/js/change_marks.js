// What differs from the settings that are saved: marked at each field, at the head of a criterion, and below each list.
// What a draft changes is marked so while its notice stands; whatever else somebody changes is "not saved".
import { itemsIn, lineOf, partsOf, valueOf, read } from "./document.js";

const KEYS = { sections: "name", criteria: "id", prompts: "id", mistakes: "id", trackers: "id", codes: "code" };
const LONGEST_SAID = 300; // characters of a former value
const locale = document.documentElement.lang;
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
const nameOf = (value) => value.name || value.text || value.code || "";
const bare = (value) => (typeof value === "object" && value !== null ? value : {});

/** `text` are the sentences of the page. Return `remember` and `mark`. */
export function offerMarks(editor, text) {
  let saved = {};
  let gone = new Set(); // items that the draft removes
  let origins = new WeakMap(); // item or list → what is saved of it
  let drafted = new WeakMap(); // field or list → its value in the draft

  /** Note what is saved, and of the draft that the fields show, if they do, what it makes of that. */
  function remember(document, isDraft = false) {
    saved = document;
    [gone, origins, drafted] = [new Set(), new WeakMap(), new WeakMap()];
    walk(editor, saved, { list: findOrigins });
    if (!isDraft) return;
    const note = (element, _, now) => drafted.set(element, JSON.stringify(now));
    const there = listThere();
    walk(editor, saved, {
      field: note,
      list: (list, before) => {
        note(list, before, orderOf(list));
        for (const each of before) if (!there.has(each)) gone.add(each);
        for (const item of itemsIn(list)) drafted.set(item, list);
      },
    });
  }

  /** Find what is saved of each item: by its key, a section also by its first criterion that is in one. */
  function findOrigins(list, before) {
    origins.set(list, before);
    const key = KEYS[list.dataset.list];
    const pool = list.dataset.list === "criteria" ? saved.rubric.sections.flatMap((each) => each.criteria) : before;
    const values = new Map(itemsIn(list).map((item) => [item, read(item)]));
    const taken = new Set();
    const take = (item, found) => {
      if (!found || taken.has(found)) return;
      taken.add(found);
      origins.set(item, found);
    };
    for (const [item, value] of values) take(item, pool.find((each) => each[key] === value[key]));
    if (list.dataset.list !== "sections") return;
    const holds = (section, ids) => section.criteria.some((each) => ids.has(each.id));
    for (const [item, value] of values) if (!origins.has(item)) take(item, pool.find((each) => !taken.has(each) && holds(each, new Set(value.criteria.map(({ id }) => id)))));
  }

  /** Call the visitor for each field and list below `node`, with what is saved of it. */
  function walk(node, before, visit) {
    const inside = bare(before);
    partsOf(node, {
      field: (element, name) => visit.field?.(element, inside[name], valueOf(element)),
      object: (element, name) => walk(element, inside[name], visit),
      optional: (element, name) => {
        const [input, body] = [element.querySelector("[data-switch]"), element.querySelector("[data-body]")];
        visit.field?.(element, Boolean(inside[name]), input.checked);
        if (input.checked && inside[name]) walk(body, inside[name], visit);
      },
      list: (element, name) => {
        const list = inside[name] ?? [];
        if (element.dataset.plain) {
          visit.field?.(element, list, itemsIn(element).map((item) => read(item)[element.dataset.plain]));
          return;
        }
        walkList(element, list, visit);
      },
    });
  }

  function walkList(list, before, visit) {
    visit.list?.(list, before);
    for (const item of itemsIn(list)) {
      const inside = item.querySelector("[data-list=criteria]");
      if (origins.has(item)) walk(item, origins.get(item), visit);
      else if (inside) walkList(inside, [], visit); // a new section, which may hold what was in another one
    }
  }

  const listThere = () => new Set([...editor.querySelectorAll("[data-item]")].map((item) => origins.get(item)));
  const orderOf = (list) => itemsIn(list).map((item) => (origins.get(list) ?? []).indexOf(origins.get(item))).filter((at) => at >= 0);

  /** Mark everything; `notice` is that of the draft, as long as it stands. */
  function mark(notice) {
    for (const each of editor.querySelectorAll("[data-change-tag], [data-was], [data-list-change]")) each.remove();
    for (const tag of editor.querySelectorAll("[data-draft-tag]")) tag.hidden = true;
    const there = listThere();
    const byDraft = (element, now) => Boolean(notice) && drafted.get(element) === JSON.stringify(now);
    walk(editor, saved, {
      field: (element, before, now) => {
        if (same(before ?? null, now ?? null)) return;
        const isDraft = byDraft(element, now);
        tag(element, isDraft ? text.changed : text.fieldHere);
        if (isDraft) sayFormer(element, before, now);
      },
      list: (list, before) => {
        for (const item of itemsIn(list)) {
          if (!origins.has(item)) tag(item, Boolean(notice) && drafted.has(item) ? text.added : text.addedHere);
        }
        const order = orderOf(list);
        const isMoved = order.some((at, n) => n && at < order[n - 1]);
        const removed = before.filter((each) => !there.has(each) && !(notice && gone.has(each)));
        sayBelow(list, [removed.length && text.goneHere.replace("{names}", () => removed.map(nameOf).join(", ")), isMoved && (byDraft(list, order) ? text.order : text.orderHere)]);
      },
    });
    markHeads(notice);
    const line = notice?.querySelector("[data-draft-removes]");
    if (!line) return;
    line.hidden = !gone.size;
    line.textContent = line.dataset.draftRemoves.replace("{names}", () => [...gone].map(nameOf).join(", "));
  }

  /** Sum up in the head of each criterion what is marked below it, and say its former points. */
  function markHeads(notice) {
    for (const item of editor.querySelectorAll("details.criterion")) {
      const before = origins.get(item);
      const marks = [...item.querySelectorAll("[data-change-tag], [data-list-change]")].map((each) => each.textContent);
      const head = item.querySelector("[data-draft-tag]");
      const home = origins.get(item.closest("[data-list=criteria]"));
      const words = !before ? (notice && drafted.has(item) ? text.added : text.addedHere) : marks.length ? (marks.every((each) => each === text.changed) ? text.changed : text.changedHere) : home?.includes(before) ? "" : notice && drafted.get(item) === item.closest("[data-list]") ? text.relocated : text.relocatedHere;
      head.hidden = !words;
      head.textContent = words;
      const points = valueOf(item.querySelector("[data-field=max_points]"));
      if (before && before.max_points !== points && points > 0) item.querySelector("[data-shows-points]").prepend(`${before.max_points.toLocaleString(locale)} → `);
    }
  }

  /** Say in the draft's field what is saved: the former value, or which lines came and went. */
  function sayFormer(element, before, now) {
    const input = element.querySelector("input, select, textarea");
    if (["boolean", "set"].includes(element.dataset.kind) || input.type === "checkbox" || element.dataset.list) return;
    const words = [];
    if (["lines", "phrases"].includes(element.dataset.kind)) {
      const former = (before ?? []).map(lineOf);
      const lines = now.map(lineOf);
      const [came, left] = [lines.filter((each) => !former.includes(each)), former.filter((each) => !lines.includes(each))];
      if (came.length) words.push(text.came.replace("{items}", () => shorten(came.join(" · "))));
      if (left.length) words.push(text.left.replace("{items}", () => shorten(left.join(" · "))));
      if (!words.length) words.push(text.order);
    } else {
      const option = input.options && [...input.options].find((each) => each.value === String(before ?? ""));
      const said = option?.text ?? (typeof before === "number" ? before.toLocaleString(locale) : before);
      words.push(text.was.replace("{value}", () => shorten(said || "–")));
    }
    for (const each of words) {
      const line = Object.assign(document.createElement("p"), { className: "hint was", textContent: each });
      line.dataset.was = "";
      element.append(line);
    }
  }

  return { remember, mark };
}

const shorten = (words) => (words.length > LONGEST_SAID ? `${words.slice(0, LONGEST_SAID)} …` : words);

/** Put a tag after the label of a field, or of the first field of an item; criteria have theirs in their head. */
function tag(element, words) {
  if (element.matches("details.criterion")) return;
  const label = element.querySelector(":scope > :is(label, legend, .label)") ?? element.querySelector("[data-field] > label");
  const shown = Object.assign(document.createElement("span"), { className: "tag change", textContent: words });
  shown.dataset.changeTag = "";
  label.append(" ", shown);
}

function sayBelow(list, sentences) {
  const said = sentences.filter(Boolean);
  if (!said.length) return;
  const line = Object.assign(document.createElement("p"), { className: "list-change", textContent: said.join(" · ") });
  line.dataset.listChange = "";
  list.querySelector(":scope > [data-items]").after(line);
}
