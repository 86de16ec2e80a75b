// How many of the offered calls are kept for a calibration: counted again at every tick.
const boxes = [...document.querySelectorAll(".choosing input[name=call]")];
const shown = document.querySelector("[data-kept]");
const format = new Intl.NumberFormat(document.documentElement.lang);

function count() {
  shown.textContent = shown.dataset.kept.replace("{count}", format.format(boxes.filter((box) => box.checked).length));
}

if (shown) {
  for (const box of boxes) box.addEventListener("change", count);
  window.addEventListener("pageshow", count); // a browser that goes back ticks the boxes as they were left
}
