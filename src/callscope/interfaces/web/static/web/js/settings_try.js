// Trying the settings in the editor on one call; why that cannot be done stands at the field of the call until it can.
import { errorLine } from "./field_errors.js";

/** `judge` shows the result of a call, or gives the reason against it to a function. */
export function offerTry(judge) {
  const form = document.querySelector("[data-try-form]");
  const typed = form?.querySelector("input");
  typed?.addEventListener("mousedown", (event) => {
    if (typed === document.activeElement) return;
    event.preventDefault(); // what is typed replaces the call that is filled in, as after Tab
    typed.focus();
    typed.select();
  });
  form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const field = form.querySelector("input");
    const say = (words) => {
      const line = Object.assign(document.querySelector("[data-try-error]"), { className: words ? "error" : "" });
      line.replaceChildren(...(words ? errorLine(words).childNodes : []));
      field.ariaInvalid = words ? "true" : null;
      if (words) field.focus();
    };
    say("");
    await judge(form.querySelector("button"), field.value, say);
    document.querySelector("[data-trial]").scrollIntoView({ block: "nearest" });
  });
}
