// A warning before changes are left behind. Forms marked data-guarded, which save by themselves, ask for nothing else;
// one marked data-unsaved came back refused, so that nothing in it is saved.

/** Let the browser warn of leaving the page while `isUnsaved` says so. */
export function warnOnLeaving(isUnsaved) {
  window.addEventListener("beforeunload", (event) => {
    if (isUnsaved()) event.preventDefault();
  });
}

function isChanged(field) {
  if (!field.name) return false;
  if (field.matches("[type=radio], [type=checkbox]")) return field.checked !== field.defaultChecked;
  if (field.matches("select")) return field.selectedIndex !== Math.max(0, [...field.options].findIndex((each) => each.defaultSelected));
  return field.matches("input, textarea") && field.value !== field.defaultValue;
}

for (const form of document.querySelectorAll("form[data-guarded]")) {
  let isSent = false;
  form.addEventListener("submit", () => { isSent = true; });
  window.addEventListener("pageshow", () => { isSent = false; });
  warnOnLeaving(() => !isSent && ("unsaved" in form.dataset || [...form.elements].some(isChanged)));
}
