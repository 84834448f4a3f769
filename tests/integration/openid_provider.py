"""A small OpenID provider by the specification: code flow, PKCE, signed answers, and its lies."""

import hashlib
import json
import secrets
import threading
import time
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT, SECRET = "ttt", "a client's secret"


class Provider:
    """Signs everybody in as `user`, without a question."""

    def __init__(self) -> None:
        self.user: dict[str, Any] = {"sub": "u1", "preferred_username": "ada"}
        self.lies: dict[str, Any] = {}
        """Claims in place of the true ones; `None` leaves one out."""
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.signs_with: Any = self.key
        self.algorithm = "RS256"
        self.is_away = False
        self.issuer = ""
        self._codes: dict[str, dict[str, str]] = {}

    def authorize(self, query: dict[str, str]) -> str:
        assert query["response_type"] == "code"
        assert query["client_id"] == CLIENT
        assert "openid" in query["scope"].split()
        assert query["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(12)
        self._codes[code] = query
        answer = {"code": code, "state": query["state"], "iss": self.issuer}
        return f"{query['redirect_uri']}?{urlencode(answer)}"

    def token(self, asked: dict[str, str], authorization: str) -> dict[str, Any] | None:
        query = self._codes.pop(asked["code"], None)  # works once
        proved = urlsafe_b64encode(hashlib.sha256(asked["code_verifier"].encode()).digest())
        pair = b64decode(authorization.removeprefix("Basic ")).decode()
        if query is None or pair != f"{CLIENT}:a%20client%27s%20secret":
            return None
        if query["code_challenge"] != proved.decode().rstrip("="):
            return None
        if asked["redirect_uri"] != query["redirect_uri"]:
            return None
        now = int(time.time())
        told = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300}
        told |= {"nonce": query["nonce"], **self.user, **self.lies}
        claims = {name: value for name, value in told.items() if value is not None}
        key = "" if self.algorithm == "none" else self.signs_with
        token = jwt.encode(claims, key, self.algorithm, headers={"kid": "k1"})
        return {"access_token": "x", "token_type": "Bearer", "id_token": token}

    def keys(self) -> dict[str, Any]:
        shown = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
        return {"keys": [shown | {"kid": "k1", "use": "sig", "alg": "RS256"}]}


@contextmanager
def running() -> Iterator[Provider]:
    provider = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            url = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(url.query).items()}
            match url.path:
                case _ if provider.is_away:
                    self.send_error(503)
                case "/.well-known/openid-configuration":
                    own = {"authorization_endpoint": "authorize", "token_endpoint": "token"}
                    own |= {"jwks_uri": "jwks"}
                    found = {name: f"{provider.issuer}/{path}" for name, path in own.items()}
                    self._say({"issuer": provider.issuer, **found})
                case "/authorize":
                    self.send_response(302)
                    self.send_header("Location", provider.authorize(query))
                    self.end_headers()
                case "/jwks":
                    self._say(provider.keys())
                case _:
                    self.send_error(404)

        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers["Content-Length"])).decode()
            asked = {name: values[0] for name, values in parse_qs(sent).items()}
            answer = provider.token(asked, self.headers.get("Authorization", ""))
            if answer is None:
                self.send_error(400)
            else:
                self._say(answer)

        def _say(self, value: dict[str, Any]) -> None:
            body = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Keep the output of the tests clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.issuer = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
