// How many calls the form draws, and how many each reviewer gets: counted again at every change, as DrawSize does.
const shown = document.querySelector("[data-drawable]");
const form = shown?.closest("form");
const drawable = JSON.parse(shown?.dataset.drawable ?? "[]");
const format = new Intl.NumberFormat(document.documentElement.lang);

function count() {
  const typed = form.elements.per_agent.value.trim();
  const each = /^\d+$/.test(typed) ? Number(typed) : 0;
  const leaveOut = form.elements.leave_out_drawn.checked;
  const found = drawable.map(([all, left]) => (leaveOut ? left : all));
  const calls = found.reduce((sum, count) => sum + Math.min(each, count), 0);
  for (const reason of shown.parentElement.querySelectorAll("[data-fewer]")) {
    reason.hidden = !found.some((count) => count < each) || (reason.dataset.fewer === "left") !== leaveOut;
  }
  const people = form.querySelectorAll("[name=reviewer]:checked").length;
  const [fewest, most] = [Math.floor(calls / people), Math.ceil(calls / people)];
  const span = fewest === most ? format.format(most) : `${format.format(fewest)}–${format.format(most)}`;
  shown.querySelector("[data-calls]").textContent = each ? format.format(calls) : "–";
  shown.querySelector("[data-people]").textContent = format.format(people);
  shown.querySelector("[data-each]").textContent = each && people ? span : "–";
}

form?.addEventListener("input", count);
if (form) count(); // a browser that goes back fills in what was typed
