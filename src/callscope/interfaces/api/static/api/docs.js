// Shows the OpenAPI document; requests that are tried out carry the session and its CSRF token.
const page = document.getElementById("api");

SwaggerUIBundle({
  url: page.dataset.schema,
  domNode: page,
  deepLinking: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
  requestInterceptor(request) {
    request.headers["X-CSRFToken"] = page.dataset.token;
    return request;
  },
});
