"""A stand-in for an identity provider: discovery, keys, authorization with PKCE, tokens really signed."""

import base64
import hashlib
import json
import secrets
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from joserfc import jwt
from joserfc.jwk import KeySet, OctKey, RSAKey

CLIENT = "callscope"


class IdentityProvider:
    """Signs in one person at a time: whom `claims` says. `spoil` changes an ID token before it is signed."""

    def __init__(self):
        self.key = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})
        self.claims = {}
        self.spoil = lambda claims: claims
        self.sign = self.sign_properly
        self.codes = {}
        self.challenges = []
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                parts = urlsplit(self.path)
                provider.answer(self, parts.path, parse_qs(parts.query))

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                provider.answer(self, self.path, parse_qs(body))

            def log_message(self, *_given):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://localhost:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, handler, path, fields):
        given = {name: values[0] for name, values in fields.items()}
        if path == "/.well-known/openid-configuration":
            status, document = 200, self.describe()
        elif path == "/keys":
            status, document = 200, KeySet([self.key]).as_dict(private=False)
        elif path == "/token":
            status, document = self.exchange(given)
        else:
            status, document = 404, {}
        body = json.dumps(document).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    def describe(self):
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "end_session_endpoint": f"{self.issuer}/leave",
            # As generous as some are: the client must not take its word for it.
            "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
        }

    def authorize(self, address):
        """Do what a person does at the provider; return the address that the browser is sent back to."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        code = secrets.token_urlsafe(8)
        self.codes[code] = asked
        return f"{urlsplit(asked['redirect_uri']).path}?code={code}&state={asked['state']}"

    def exchange(self, given):
        asked = self.codes.pop(given.get("code"), None)
        verifier = given.get("code_verifier", "")
        digest = hashlib.sha256(verifier.encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if asked is None or asked["code_challenge_method"] != "S256" or challenge != asked["code_challenge"]:
            return 400, {"error": "invalid_grant"}
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "exp": int(time.time()) + 300,
            "iat": int(time.time()),
            "nonce": asked["nonce"],
            **self.claims,
        }
        token = self.sign(self.spoil(claims))
        return 200, {"access_token": "x", "token_type": "Bearer", "id_token": token}

    def sign_properly(self, claims):
        return jwt.encode({"alg": "RS256", "kid": "one"}, claims, self.key)

    def sign_with_nothing(self, claims):
        parts = [{"alg": "none", "kid": "one"}, claims]
        encoded = [base64.urlsafe_b64encode(json.dumps(each).encode()).decode().rstrip("=") for each in parts]
        return ".".join([*encoded, ""])

    def sign_with_the_public_key_as_secret(self, claims):
        secret = OctKey.import_key(self.key.as_pem(private=False))
        return jwt.encode({"alg": "HS256", "kid": "one"}, claims, secret, algorithms=["HS256"])

    def sign_with_another_key(self, claims):
        return jwt.encode({"alg": "RS256", "kid": "one"}, claims, RSAKey.generate_key(2048))
