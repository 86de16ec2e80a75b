// What a pressed button cannot do before the settings are right: said next to it, and taken back once they are.
import { errorLine } from "./field_errors.js";

/** `text` are the sentences of the page; `show` goes to the first wrong field. */
export function offerFirstFix(text, show) {
  const plural = new Intl.PluralRules(document.documentElement.lang);
  const lines = () => document.querySelectorAll("[data-first-fix]");
  const wordsFor = (count) => (plural.select(count) === "one" ? text.fixOne : text.fix).replace("{count}", count);

  return {
    /** Say next to what holds the button that so many things are wrong. */
    say(button, count) {
      const line = errorLine(wordsFor(count));
      line.role = "alert";
      line.dataset.firstFix = "";
      const link = Object.assign(document.createElement("button"), { type: "button", className: "link", textContent: text.showFirst });
      link.addEventListener("click", show);
      line.append(link);
      const holder = button.closest(".actions, form");
      if (holder.nextElementSibling?.matches("[data-first-fix]")) holder.nextElementSibling.remove();
      holder.after(line);
    },
    /** Follow what is still wrong. */
    update(count) {
      for (const line of lines()) {
        if (!count) line.remove();
        else if (line.querySelector("span").textContent !== wordsFor(count)) line.querySelector("span").textContent = wordsFor(count);
      }
    },
  };
}
