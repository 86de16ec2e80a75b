// A JSON document and the fields that show it. Markup says which part is where: data-field (with data-kind),
// data-object, data-list (with data-items and a template of one data-item), data-optional (null until switched on).
// A path such as rubric.sections[0].criteria[2].max_points names the element that shows it.
let numbered = 0;

/** Call the visitor's function for every part directly inside `node`, not for parts of parts. */
export function partsOf(node, visit) {
  for (const child of node.children) {
    if (child.tagName === "TEMPLATE") continue;
    const { field, object, list, optional } = child.dataset;
    if (field) visit.field(child, field);
    else if (optional) visit.optional(child, optional);
    else if (object) visit.object(child, object);
    else if (list) visit.list(child, list);
    else partsOf(child, visit);
  }
}

const inputOf = (element) => element.querySelector("input, select, textarea");
export const itemsIn = (list) => [...list.querySelector(":scope > [data-items]").children];
const bodyOf = (optional) => optional.querySelector("[data-body]");
const switchOf = (optional) => optional.querySelector("[data-switch]");

/** Show `value` in the fields inside `node`. */
export function fill(node, value) {
  partsOf(node, {
    field: (element, name) => write(element, value?.[name]),
    object: (element, name) => fill(element, value?.[name]),
    list: (element, name) => {
      element.querySelector(":scope > [data-items]").replaceChildren();
      // The items of a list of lists have one field, and it is the item.
      for (const each of value?.[name] ?? []) addItem(element, element.dataset.plain ? { [element.dataset.plain]: each } : each);
    },
    optional: (element, name) => {
      const inside = value?.[name];
      switchOf(element).checked = inside !== null && inside !== undefined;
      bodyOf(element).hidden = !switchOf(element).checked;
      fill(bodyOf(element), inside ?? {});
    },
  });
  label(node);
  // Phrases in a closed fold would be missed: the boxes above it are empty then.
  for (const fold of node.querySelectorAll("details.more-rule")) fold.open ||= holdsSomething(fold);
}

const holdsSomething = (fold) => [...fold.querySelectorAll("input, textarea")].some((each) => (each.type === "checkbox" ? each.checked : each.value));

/** Add one item to the list, and return its element. */
export function addItem(list, value) {
  const item = list.querySelector(":scope > template").content.cloneNode(true).firstElementChild;
  list.querySelector(":scope > [data-items]").append(item);
  fill(item, value);
  return item;
}

/** Remove new items in which nothing was written. */
export function dropEmpty(items) {
  for (const item of items.querySelectorAll(":scope > [data-fresh]")) {
    if ([...item.querySelectorAll("input, textarea")].every((each) => !each.value)) item.remove();
  }
}

/** Return the document that the fields inside `node` show; `index` collects path → element. */
export function read(node, path = "", index = new Map()) {
  const value = {};
  const under = (name) => (path ? `${path}.${name}` : name);
  partsOf(node, {
    field: (element, name) => {
      index.set(under(name), element);
      value[name] = valueOf(element);
    },
    object: (element, name) => {
      index.set(under(name), element);
      value[name] = read(element, under(name), index);
    },
    list: (element, name) => {
      index.set(under(name), element);
      value[name] = itemsIn(element).map((item, at) => {
        const path = `${under(name)}[${at}]`;
        const inside = read(item, path, index);
        const plain = element.dataset.plain;
        index.set(path, plain ? index.get(`${path}.${plain}`) : item);
        return plain ? inside[plain] : inside;
      });
    },
    optional: (element, name) => {
      index.set(under(name), element);
      const inside = read(bodyOf(element), under(name), index);
      value[name] = switchOf(element).checked ? inside : null;
    },
  });
  return value;
}

/** Return [element, rest of the path] for the part that shows the path, or for the nearest around it. */
export function locate(index, path) {
  for (let at = path; at; at = at.replace(/(\.[^.[\]]+|\[\d+\])$/, "")) {
    if (index.has(at)) return [index.get(at), path.slice(at.length)];
    if (!/[.[]/.test(at)) break;
  }
  return [null, path];
}

function write(element, value) {
  const input = inputOf(element);
  switch (element.dataset.kind) {
    case "boolean": input.checked = value === true; break;
    case "set": for (const box of element.querySelectorAll("input")) box.checked = (value ?? []).includes(box.value); break;
    case "lines": input.value = (value ?? []).map((line) => String(line).replace(/\s*\n\s*/g, " ")).join("\n"); break;
    case "phrases": input.value = (value ?? []).map(lineOf).join("\n"); break;
    default:
      if (value === undefined && input.tagName === "SELECT") input.selectedIndex = 0;
      else input.value = typeof value === "number" ? written(value) : element.dataset.default === value ? element.dataset.defaultShown ?? "" : value ?? "";
  }
}

/** A number as the page's language writes it, with every digit: 0,5 in Spanish. */
const written = (value) => value.toLocaleString(document.documentElement.lang, { useGrouping: false, maximumFractionDigits: 20 });

export function valueOf(element) {
  const input = inputOf(element);
  const text = input.value.trim();
  switch (element.dataset.kind) {
    case "boolean": return input.checked;
    case "set": return [...element.querySelectorAll("input:checked")].map((box) => box.value);
    case "lines": return input.value.split("\n").map((line) => line.trim()).filter(Boolean);
    case "phrases": return input.value.split("\n").map((line) => line.trim()).filter(Boolean).map(phraseOf);
    case "nullable": return text || null;
    case "number": return numberOf(text);
    case "nullable-number": return text ? numberOf(text) : null;
    default: return element.dataset.defaultShown === text ? element.dataset.default : text;
  }
}

/** A phrase as one line: a pattern stands between slashes; words that do so have a backslash before them. */
export function lineOf(phrase) {
  if (phrase?.pattern !== undefined) return `/${String(phrase.pattern).replaceAll("\n", "\\n")}/`;
  const words = String(phrase).replace(/\s*\n\s*/g, " ");
  return /^\\*\/.+\/$/.test(words) ? `\\${words}` : words;
}

const phraseOf = (line) => (/^\/.+\/$/.test(line) ? { pattern: line.slice(1, -1) } : /^\\+\/.+\/$/.test(line) ? line.slice(1) : line);

// Between thousands in the language of the page: what reads as a thousand there is no fraction.
const grouped = new RegExp(`^-?[1-9]\\d{0,2}[${new Intl.NumberFormat(document.documentElement.lang || "en").format(12345).replace(/\d/g, "")}]\\d{3}$`);

/** A number as people write it, 2.5 or 2,5; anything else stays text, and the check says so. */
export const numberOf = (text) => (/^-?\d+([.,]\d+)?$/.test(text) && !grouped.test(text) ? Number(text.replace(",", ".")) : text);

function label(node) {
  for (const words of node.querySelectorAll("label:not([for])")) {
    if (words.querySelector("input") || !words.parentElement.matches("[data-field]")) continue;
    const input = inputOf(words.parentElement);
    input.id ||= `part-${(numbered += 1)}`;
    words.htmlFor = input.id;
    const hint = words.parentElement.querySelector(":scope > .hint");
    if (hint) {
      hint.id ||= `${input.id}-hint`;
      input.setAttribute("aria-describedby", hint.id);
    }
  }
}
