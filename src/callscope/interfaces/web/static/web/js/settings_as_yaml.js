// The settings of a part as YAML: written from the fields, and taken into them.
import { toast } from "./app.js";

/** Serve the buttons around the YAML. `convert` asks the server, `take` fills the fields, `tell` shows what is wrong in them. */
export function offerYaml({ convert, shown, tell, take }, text) {
  const yaml = document.getElementById("yaml");
  document.querySelector("[data-yaml-out]").addEventListener("click", async () => {
    const found = await convert({ document: shown() });
    if (!found) return;
    if (found.body.yaml) yaml.value = found.body.yaml;
    tellYaml(yaml, []);
    tell(found.body.errors);
  });
  document.querySelector("[data-yaml-in]")?.addEventListener("click", async () => {
    const found = await convert({ yaml: yaml.value });
    if (!found) return;
    tellYaml(yaml, found.body.errors);
    if (found.body.errors.length) return;
    take(found.body.document);
    toast(text.taken, "good");
  });
  document.querySelector("[data-yaml-copy]").addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(yaml.value);
    } catch { // no clipboard without a secure context
      yaml.select();
      document.execCommand("copy");
    }
    toast(text.copied, "good");
  });
}

function tellYaml(yaml, errors) {
  const list = document.querySelector("[data-yaml-errors]");
  list.hidden = !errors.length;
  list.replaceChildren(...errors.map(({ path, reason }) => Object.assign(document.createElement("li"), { className: "error", textContent: [path, reason].filter(Boolean).join(": ") })));
  yaml.ariaInvalid = errors.length ? "true" : null;
}
