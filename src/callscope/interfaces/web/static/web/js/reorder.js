// Parts of a list are dragged by their grip, with a mouse, a pen or a finger. The keys have Move up and Move down.
const EDGE_PX = 48; // from here to the edge of the window the page scrolls along
const SCROLL_PX = 12;

/** Let the items of the lists in `editor` be dragged, also into another list of the same name; then call onMoved(item). */
export function offerDragging(editor, onMoved) {
  editor.addEventListener("pointerdown", (event) => {
    const grip = event.target.closest("[data-grip]");
    if (grip && event.button === 0) drag(editor, grip, event, onMoved);
  });
  // The grip of a criterion is in what opens it.
  editor.addEventListener("click", (event) => {
    if (event.target.closest("[data-grip]")) event.preventDefault();
  });
}

function drag(editor, grip, { pointerId }, onMoved) {
  const item = grip.closest("[data-item]");
  const name = item.closest("[data-list]").dataset.list;
  let place = null; // where it would go: {next} item, or the {list} that it would end
  let at = null;
  let frame = 0;
  const abort = new AbortController();
  const on = (type, act) => window.addEventListener(type, act, { signal: abort.signal, capture: true });
  grip.setPointerCapture(pointerId);
  item.classList.add("is-dragged");

  const aim = () => {
    unmark(editor);
    const under = document.elementFromPoint(at.x, at.y);
    const list = under?.closest(`[data-list="${name}"]`);
    place = null;
    if (!list || item.contains(list)) return;
    const items = [...list.querySelector(":scope > [data-items]").children];
    const next = items.find((each) => at.y < middle(each)) ?? null;
    place = { list, next };
    const shown = next ?? items.at(-1) ?? list;
    shown.classList.add(next ? "drop-before" : "drop-after");
  };
  const scroll = () => {
    if (at) {
      const by = at.y < EDGE_PX ? -SCROLL_PX : at.y > innerHeight - EDGE_PX ? SCROLL_PX : 0;
      if (by) {
        window.scrollBy(0, by);
        aim();
      }
    }
    frame = requestAnimationFrame(scroll);
  };
  const end = () => {
    abort.abort();
    cancelAnimationFrame(frame);
    unmark(editor);
    item.classList.remove("is-dragged");
  };
  on("pointermove", (event) => {
    if (event.pointerId !== pointerId) return;
    event.preventDefault();
    at = { x: event.clientX, y: event.clientY };
    aim();
  });
  on("pointerup", (event) => {
    if (event.pointerId !== pointerId) return;
    end();
    if (!place || place.next === item || (place.next && place.next === item.nextElementSibling)) return;
    const items = place.list.querySelector(":scope > [data-items]");
    if (!place.next && items.lastElementChild === item) return;
    items.insertBefore(item, place.next);
    onMoved(item);
  });
  on("pointercancel", end);
  on("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    end();
  });
  frame = requestAnimationFrame(scroll);
}

// An open criterion is as high as a screen: its head counts, where it has one.
function middle(item) {
  const box = (item.querySelector(":scope > summary, :scope > .item-head") ?? item).getBoundingClientRect();
  return box.top + box.height / 2;
}

function unmark(editor) {
  for (const each of editor.querySelectorAll(".drop-before, .drop-after")) each.classList.remove("drop-before", "drop-after");
}
