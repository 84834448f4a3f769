"""Sign in with an OpenID provider: the code flow with PKCE (OpenID Connect Core 1.0, RFC 7636)."""
