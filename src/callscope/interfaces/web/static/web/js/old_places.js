// All parts of the settings were on one page once, each with a place of its own: /projects/1/#s-privacy.
const place = /^#s-([a-z]+)$/.exec(location.hash)?.[1];
const link = place && document.querySelector(`.contents [data-part="${place === "recording" ? "transcription" : place}"]`);
if (link && link.ariaCurrent !== "page") location.replace(link.href);
