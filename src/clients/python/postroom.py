"""A client of Postroom for Python 3.9 and later, in one file without dependencies.

    client = Postroom(os.environ["POSTROOM_KEY"], "https://postroom.example.com")
    accounts = [account["id"] for account in client.accounts.list()]
    post = client.posts.create({"accountIds": accounts, "caption": "Hello", "scheduledAt": "2030-01-15T09:30:00Z"})

Each operation of the API is a method. Bodies and results are dictionaries with the keys of the OpenAPI document, and
parameters of queries are keyword arguments with its names: client.posts.list(status=["draft"], limit=50).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import random
import time
import uuid
from email.message import Message
from email.utils import parsedate_to_datetime
from functools import cached_property
from http.client import HTTPException
from typing import Any, BinaryIO, Callable, Dict, Iterator, Mapping, Optional, Sequence, Type, TypeVar, Union
from urllib.error import HTTPError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

Json = Dict[str, Any]
T = TypeVar("T")
File = Union[str, "os.PathLike[str]", bytes, BinaryIO]

FIRST_PAUSE_SECONDS, PAUSE_MAX_SECONDS, RETRY_AFTER_MAX_SECONDS = 0.5, 8.0, 60.0
UPLOAD_CHUNK_BYTES = 65_536
# A smaller file is sent again as a whole.
RESUMED_BYTES_MIN = 8 * 1024 * 1024
# The tolerance of the libraries of https://www.standardwebhooks.com
TOLERANCE_SECONDS = 300

class PostroomError(Exception):
    """Any failure of a request. `status` is 0 without a response; `code` is that of the header x-error-code."""

    def __init__(self, message: str, status: int = 0, headers: Optional[Message] = None, body: Optional[Json] = None) -> None:
        super().__init__(message)
        self.status, self.headers = status, headers
        self.code: Optional[str] = headers["x-error-code"] if headers else None
        self.request_id: Optional[str] = headers["x-request-id"] if headers else None
        self.retry_after = _read_retry_after(headers["retry-after"] if headers else None)
        self.body: Json = body or {}
        self.details: Sequence[Json] = self.body.get("details", [])
        self.rejected: Sequence[Json] = self.body.get("rejected", [])

class InvalidRequest(PostroomError): """400. `details` lists mistakes in the shape of the request."""
class LimitViolation(InvalidRequest): """400: the post breaks a limit of a network."""
class Unauthorized(PostroomError): """401: the API key is missing, invalid or expired."""
class Forbidden(PostroomError): """403: the key may not do this, or may not use an id in the request."""
class NotFound(PostroomError): """404: the user has no such resource, or no longer."""
class Conflict(PostroomError): """409: the state of the resource excludes the request, or the idempotency key belongs to another request."""
class CursorExpired(PostroomError): """410: events after the cursor are no longer kept. body["oldest"] is the cursor to begin with."""
class PreconditionFailed(PostroomError): """412: the resource has changed since the ETag in `if_match`."""
class RateLimited(PostroomError): """429: too many requests."""
class ServerError(PostroomError): """5xx: the service, or the network that it called, failed."""
class NoResponse(PostroomError): """The service did not respond. It may have carried out the request."""

class NotSettled(Exception):
    """A post that still has deliveries to send. `post` is its last state."""

    def __init__(self, message: str, post: Json) -> None:
        super().__init__(message)
        self.post = post

class InvalidSignature(Exception): """The request was not signed with the secret, or not now. Respond with 400."""

ERRORS: Dict[Union[int, str], Type[PostroomError]] = {
    400: InvalidRequest, 401: Unauthorized, 403: Forbidden, 404: NotFound, 409: Conflict, 412: PreconditionFailed,
    429: RateLimited, "platform_limit": LimitViolation, "cursor_expired": CursorExpired,
}

class Result(Json):
    """The JSON of a response, with its `status` and its `headers`, such as headers["etag"]."""

    def __init__(self, body: Json, status: int, headers: Message) -> None:
        super().__init__(body)
        self.status, self.headers = status, headers

class Pages:
    """A list. Iterating gives the items of all pages; `first()` one page, `pages()` all of them."""

    def __init__(self, fetch: Callable[[Json], Result], query: Json, cursor_name: str = "cursor") -> None:
        self._fetch, self._query, self._cursor_name = fetch, query, cursor_name

    def __iter__(self) -> Iterator[Json]:
        for page in self.pages():
            yield from page["data"]

    def first(self) -> Result:
        return self._fetch(self._query)

    def pages(self) -> Iterator[Result]:
        page = self.first()
        yield page
        while page.get("nextCursor"):
            rest = {name: value for name, value in self._query.items() if name not in ("offset", "from")}
            page = self._fetch({**rest, self._cursor_name: page["nextCursor"]})
            yield page

class _Form:
    """A file as a multipart form: https://www.rfc-editor.org/rfc/rfc7578"""

    def __init__(self, file: File, file_name: Optional[str], fields: Json) -> None:
        self._file = file
        named = file if isinstance(file, (str, os.PathLike)) else getattr(file, "name", "file")
        self.name = file_name or os.path.basename(str(named)) or "file"
        boundary = f"postroom-{uuid.uuid4().hex}"
        self.type = f"multipart/form-data; boundary={boundary}"
        texts = {key: json.dumps(value) if isinstance(value, dict) else value for key, value in fields.items()}
        part = f'--{boundary}\r\ncontent-disposition: form-data; name="'
        escaped = self.name.replace("\n", "%0A").replace("\r", "%0D").replace('"', "%22")
        self._head = "".join(f'{part}{key}"\r\n\r\n{value}\r\n' for key, value in texts.items() if value is not None)
        self._head += f'{part}file"; filename="{escaped}"\r\ncontent-type: application/octet-stream\r\n\r\n'
        self._tail = f"\r\n--{boundary}--\r\n"
        self.can_reopen = isinstance(file, (str, os.PathLike, bytes))

    def __iter__(self) -> Iterator[bytes]:
        yield self._head.encode()
        if isinstance(self._file, (str, os.PathLike, bytes)):
            yield from _read_from(self._file, 0)
        else:
            source = self._file
            yield from iter(lambda: source.read(UPLOAD_CHUNK_BYTES), b"")
        yield self._tail.encode()

class _NoRedirect(HTTPRedirectHandler):
    """A redirect that is followed turns a POST into a GET."""

    def redirect_request(self, *_: Any) -> None:
        return None

class _Client:
    def __init__(
        self, key: str, base_url: str = "http://localhost:3000", max_retries: float = 2, timeout: float = 15.0
    ) -> None:
        base = base_url.rstrip("/")
        self._base_url = base if base.endswith("/api/v1") else f"{base}/api/v1"
        self._key, self.max_retries, self._timeout = key, max_retries, timeout
        self._opener = build_opener(_NoRedirect)

    def json(self, method: str, path: str, query: Json, **request: Any) -> Result:
        """Sends a request to a path below /api/v1, and returns the JSON of its response."""

        def read(response: Any) -> Result:
            return Result(json.loads(response.read()), response.status, response.headers)

        return self._with_retries(read, method, path, query, **request)

    def outside(self, method: str, path: str, headers: Mapping[str, str], data: Optional[Iterator[bytes]] = None) -> Message:
        """Sends a request to a path beside the API once, without the key, and returns the headers of its response."""
        url = self._base_url[: -len("/api/v1")] + path
        try:
            response = self._opener.open(Request(url, data, dict(headers), method=method), timeout=UPLOAD_TIMEOUT_SECONDS)
            response.read()
            found: Message = response.headers
            return found
        except HTTPError as error:
            raise _to_error(error) from None
        except (OSError, HTTPException, ValueError) as error:
            raise NoResponse(f"No response from {urlsplit(url).netloc} ({error})") from error

    def file(self, path: str, query: Json, byte_range: Optional[str]) -> BinaryIO:
        """The bytes of a file, to read from."""
        headers = {"range": byte_range} if byte_range else {}
        def read(response: BinaryIO) -> BinaryIO:
            return response

        return self._with_retries(read, "GET", path, query, headers=headers)

    def _with_retries(
        self, read: Callable[[Any], T], method: str, path: str, query: Json, body: Any = None,
        headers: Optional[Mapping[str, Optional[str]]] = None, repeatable: Optional[bool] = None,
        timeout: Optional[float] = None, max_retries: Optional[float] = None,
    ) -> T:
        sent = {name: value for name, value in (headers or {}).items() if value is not None}
        if repeatable is None:
            repeatable = method in ("GET", "PUT", "DELETE") or (method == "PATCH" and "if-match" in sent)
        form = body if isinstance(body, _Form) else None
        if body is not None:
            sent["content-type"] = form.type if form else "application/json"
        data = form or (None if body is None else json.dumps(body).encode())
        url = self._base_url + path + _to_query(query)
        most = self.max_retries if max_retries is None else max_retries
        retries = 0
        while True:
            try:
                request = Request(url, data, {"accept": "application/json", **sent}, method=method)
                # Not sent to the target of a redirect.
                request.add_unredirected_header("authorization", f"Bearer {self._key}")
                return read(self._open(request, timeout))
            except PostroomError as error:
                failure = error
            except (OSError, HTTPException, ValueError) as error:
                failure = NoResponse(f"No response from {urlsplit(url).netloc} ({error})")
                failure.__cause__ = error
            pause = _pause_before(retries, failure, repeatable)
            if pause is None or retries >= most or (form and not form.can_reopen):
                raise failure
            time.sleep(pause)
            retries += 1

    def _open(self, request: Request, timeout: Optional[float]) -> Any:
        try:
            return self._opener.open(request, timeout=self._timeout if timeout is None else timeout)
        except HTTPError as error:
            target = error.headers["location"]
            if error.code == 307 and target and request.get_method() == "GET":
                byte_range = request.get_header("Range")
                return self._opener.open(Request(target, headers={"range": byte_range} if byte_range else {}))
            raise _to_error(error) from None

class _Group:
    timeout: Optional[float] = None

    def __init__(self, client: _Client) -> None:
        self._client = client

    def _pages(self, path: str, query: Json) -> Pages:
        return Pages(lambda query: self._client.json("GET", path, query), query)

    def _create(
        self, path: str, query: Json, body: Any, idempotency_key: Optional[str], method: str = "POST"
    ) -> Result:
        headers = {"idempotency-key": idempotency_key or str(uuid.uuid4())}
        return self._client.json(method, path, query, body=body, headers=headers, repeatable=True, timeout=self.timeout)

class _PostsExtras(_Group):
    def wait_until_settled(self, id: str, timeout: float = 60.0) -> Result:
        """Waits until nothing of a post is queued or being sent. Raises NotSettled after `timeout`, and for a draft."""
        deadline, pause = time.monotonic() + timeout, FIRST_PAUSE_SECONDS
        while True:
            post = self._client.json("GET", _path("/posts/{}", id), {})
            states = [target["delivery"]["state"] for target in post["targets"]]
            if "waiting" in states:
                raise NotSettled(f"Post {id} is a draft: nothing is sent", post)
            if "queued" not in states and "publishing" not in states:
                return post
            left = deadline - time.monotonic()
            if left <= 0:
                raise NotSettled(f"Post {id} still has deliveries to send after {timeout} s", post)
            time.sleep(min(pause, left))
            pause = min(pause * 1.5, 5.0)

class _EventsExtras(_Group):
    def follow(self, **query: Any) -> Pages:
        """Every event, and then for ever the next one, through outages. Store the nextCursor of each of its pages()."""

        def fetch(query: Json) -> Result:
            return self._client.json("GET", "/events", query, timeout=35.0, max_retries=float("inf"))

        return Pages(fetch, {**query, "wait": 20}, "after")

# The service ends uploads and imports that stall.
UPLOAD_TIMEOUT_SECONDS = 3600.0

class _UploadsExtras(_Group):
    timeout = UPLOAD_TIMEOUT_SECONDS

    def create(
        self, file: File, file_name: Optional[str] = None, idempotency_key: Optional[str] = None, **fields: Any
    ) -> Result:
        """Uploads a path, bytes or an open binary file, with the fields altText, externalReference and metadata.

        From 8 MiB on, a path or bytes go on where a connection was lost.
        """
        form = _Form(file, file_name, fields)
        if isinstance(file, (str, os.PathLike, bytes)) and _size_of(file) >= RESUMED_BYTES_MIN:
            uploaded = self._resumably(file, form.name, fields, idempotency_key)
            if uploaded is not None:
                return uploaded
        return self._create("/media", {}, form, idempotency_key)

    def _resumably(
        self, file: Union[str, "os.PathLike[str]", bytes], name: str, fields: Json, idempotency_key: Optional[str]
    ) -> Optional[Result]:
        """None if the service has no addresses."""
        size, digest = _size_of(file), hashlib.sha256()
        for chunk in _read_from(file, 0):
            digest.update(chunk)
        known = {key: value for key, value in fields.items() if value is not None}
        body = {**known, "fileName": name, "bytes": size, "sha256": digest.hexdigest()}
        if isinstance(body.get("focus"), str):
            body["focus"] = dict(zip("xy", map(float, body["focus"].split(","))))
        try:
            created = self._create("/media/uploads", {}, body, idempotency_key)
        except PostroomError as error:
            # Those of an earlier version, and of a service without a key that signs addresses.
            if error.code in ("route_not_found", "method_not_allowed", "credentials_key_missing"):
                return None
            raise
        if created["uploadUrl"] is not None:
            self._send(created["uploadUrl"], file, size)
        return self._client.json("GET", _path("/media/{}", created["id"]), {})

    def _send(self, url: str, file: Union[str, "os.PathLike[str]", bytes], size: int) -> None:
        # The address begins with PUBLIC_URL. This client may reach the service under another name.
        address = url[url.index("/files/uploads/"):]
        offset, retries = 0, 0
        while True:
            # An empty piece after the last byte asks to complete the file.
            piece = f"{offset}-{size - 1}" if offset < size else "*"
            headers = {"content-range": f"bytes {piece}/{size}", "content-length": str(size - offset)}
            try:
                self._client.outside("PUT", address, headers, _read_from(file, offset))
                return
            except PostroomError as error:
                failure = error
            is_ahead = failure.code in ("upload_offset", "upload_busy")
            pause = 1.0 if is_ahead else _pause_before(retries, failure, True)
            if pause is None or retries >= self._client.max_retries:
                raise failure
            time.sleep(pause)
            stored = offset
            try:
                state = self._client.outside("HEAD", address, {})
                if state["upload-complete"] == "?1":
                    return
                stored = int(state["upload-offset"])
            except (NoResponse, ServerError):
                pass
            # An upload that makes progress may fail again.
            retries = 0 if failure.code == "upload_busy" or stored > offset else retries + 1
            offset = stored

def _size_of(file: Union[str, "os.PathLike[str]", bytes]) -> int:
    return len(file) if isinstance(file, bytes) else os.path.getsize(file)

def _read_from(file: Union[str, "os.PathLike[str]", bytes], offset: int) -> Iterator[bytes]:
    if isinstance(file, bytes):
        for begin in range(offset, len(file), UPLOAD_CHUNK_BYTES):
            yield file[begin : begin + UPLOAD_CHUNK_BYTES]
        return
    with open(file, "rb") as source:
        source.seek(offset)
        yield from iter(lambda: source.read(UPLOAD_CHUNK_BYTES), b"")

def verify_webhook(body: Union[bytes, str], headers: Mapping[str, str], secrets: Union[str, Sequence[str]]) -> Json:
    """Returns the event, if one of `secrets` has signed the body, as it was received, within 300 seconds of now."""
    named = {name.lower(): value for name, value in headers.items()}
    try:
        id, timestamp, signatures = (named[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
        age = int(time.time()) - int(timestamp)
    except (KeyError, ValueError) as error:
        raise InvalidSignature(f"A header is missing or malformed: {error}") from None
    if abs(age) > TOLERANCE_SECONDS:
        raise InvalidSignature(f"webhook-timestamp differs by {abs(age)} s from the time of the receiver")
    content = body.encode() if isinstance(body, str) else body
    signed = f"{id}.{timestamp}.".encode() + content
    for secret in [secrets] if isinstance(secrets, str) else secrets:
        key = base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret, validate=True)
        expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        if key and any(hmac.compare_digest(expected.encode(), each.encode()) for each in signatures.split(" ")):
            event: Json = json.loads(content)
            return event
    raise InvalidSignature("webhook-signature matches no secret: the request was changed, or it has another secret")

def _path(template: str, *ids: str) -> str:
    for id in ids:
        # URLs resolve . and .., and an empty segment leads to another route.
        if not isinstance(id, str) or id in ("", ".", ".."):
            raise TypeError(f"{id!r} is not an id")
    return template.format(*(quote(id, safe="") for id in ids))

def _to_query(query: Json) -> str:
    def texts(value: Any) -> Sequence[str]:
        values = value if isinstance(value, (list, tuple)) else [value]
        return [str(each).lower() if isinstance(each, bool) else str(each) for each in values]

    text = urlencode([(name, each) for name, value in query.items() if value is not None for each in texts(value)])
    return f"?{text}" if text else ""

def _to_error(response: HTTPError) -> PostroomError:
    try:
        body = json.loads(response.read())
    except ValueError:
        body = None
    headers, status = response.headers, response.code
    known = ERRORS.get(headers["x-error-code"]) or ERRORS.get(status)
    kind = known or (ServerError if status >= 500 else PostroomError)
    if not isinstance(body, dict) or not isinstance(body.get("error"), str):
        return kind(f"{response.url} responded with {status}: check base_url", status, headers)
    # A mistake in the whole body has an empty path.
    mistakes = [": ".join(filter(None, [".".join(map(str, each["path"])), each["message"]])) for each in body.get("details", [])]
    hint = "; ".join(mistakes) or headers["x-error-hint"]
    return kind(": ".join(filter(None, [body["error"], hint])), status, headers, body)

def _read_retry_after(value: Optional[str]) -> Optional[float]:
    try:
        return float(value) if value and value.isdigit() else parsedate_to_datetime(value or "").timestamp() - time.time()
    except (TypeError, ValueError):
        return None

def _pause_before(retries: int, error: PostroomError, repeatable: bool) -> Optional[float]:
    is_lost = error.status in (0, 408) or error.status >= 500
    if error.status != 429 and not (is_lost and repeatable):
        return None
    growing = min(FIRST_PAUSE_SECONDS * 2.0 ** min(retries, 16), PAUSE_MAX_SECONDS) * random.uniform(0.5, 1.0)
    if error.retry_after is None:
        return growing
    if error.retry_after > RETRY_AFTER_MAX_SECONDS:
        return None
    # Never earlier than the service asks for, and not all clients at the same moment.
    asked = max(0.0, error.retry_after) + random.uniform(0.0, FIRST_PAUSE_SECONDS)
    return max(asked, growing) if error.status == 503 else asked

# The operations: written by `make openapi`.

class Accounts(_Group):
    def avatar(self, id: str, byte_range: Optional[str] = None) -> BinaryIO: return self._client.file(_path("/accounts/{}/avatar", id), {}, byte_range)
    def connect(self, body: Json, idempotency_key: Optional[str] = None) -> Result: return self._create("/accounts", {}, body, idempotency_key)
    def disconnect(self, id: str) -> Result: return self._client.json("DELETE", _path("/accounts/{}", id), {})
    def get(self, id: str) -> Result: return self._client.json("GET", _path("/accounts/{}", id), {})
    def get_budget(self, id: str) -> Result: return self._client.json("GET", _path("/accounts/{}/budget", id), {})
    def get_schedule(self, id: str) -> Result: return self._client.json("GET", _path("/accounts/{}/schedule", id), {})
    def limits(self, id: str) -> Result: return self._client.json("GET", _path("/accounts/{}/limits", id), {})
    def list(self, **query: Any) -> Pages: return self._pages("/accounts", query)
    def options(self, id: str, field: str, **query: Any) -> Pages: return self._pages(_path("/accounts/{}/options/{}", id, field), query)
    def put_budget(self, id: str, body: Json) -> Result: return self._client.json("PUT", _path("/accounts/{}/budget", id), {}, body=body)
    def put_schedule(self, id: str, body: Json, if_match: Optional[str] = None) -> Result: return self._client.json("PUT", _path("/accounts/{}/schedule", id), {}, body=body, headers={"if-match": if_match})
    def rearrange_schedule(self, id: str, if_match: Optional[str] = None) -> Result: return self._client.json("POST", _path("/accounts/{}/schedule/rearrange", id), {}, headers={"if-match": if_match})
    def slots(self, id: str, **query: Any) -> Pages: return self._pages(_path("/accounts/{}/slots", id), query)
    def update(self, id: str, body: Json, if_match: Optional[str] = None) -> Result: return self._client.json("PATCH", _path("/accounts/{}", id), {}, body=body, headers={"if-match": if_match})

class Apps(_Group):
    def delete(self, platform: str, **query: Any) -> Result: return self._client.json("DELETE", _path("/apps/{}", platform), query)
    def list(self) -> Pages: return self._pages("/apps", {})
    def put(self, platform: str, body: Json) -> Result: return self._client.json("PUT", _path("/apps/{}", platform), {}, body=body)

class ConnectedApps(_Group):
    def create_code(self) -> Result: return self._client.json("POST", "/connected-apps/codes", {})
    def disconnect(self, id: str) -> Result: return self._client.json("DELETE", _path("/connected-apps/{}", id), {})
    def list(self, **query: Any) -> Pages: return self._pages("/connected-apps", query)

class Connections(_Group):
    def cancel(self, id: str) -> Result: return self._client.json("DELETE", _path("/connections/{}", id), {})
    def choose(self, id: str, body: Json) -> Result: return self._client.json("POST", _path("/connections/{}/choose", id), {}, body=body)
    def complete(self, id: str, body: Json) -> Result: return self._client.json("POST", _path("/connections/{}/complete", id), {}, body=body)
    def create(self, body: Json, idempotency_key: Optional[str] = None) -> Result: return self._create("/connections", {}, body, idempotency_key)
    def get(self, id: str) -> Result: return self._client.json("GET", _path("/connections/{}", id), {})

class Deliveries(_Group):
    def cancel(self, id: str, account_id: str, if_match: Optional[str] = None) -> Result: return self._client.json("POST", _path("/posts/{}/deliveries/{}/cancel", id, account_id), {}, headers={"if-match": if_match})
    def check(self, id: str, account_id: str) -> Result: return self._client.json("POST", _path("/posts/{}/deliveries/{}/check", id, account_id), {}, repeatable=True)
    def edit(self, id: str, account_id: str, body: Json, if_match: Optional[str] = None) -> Result: return self._client.json("PATCH", _path("/posts/{}/deliveries/{}", id, account_id), {}, body=body, headers={"if-match": if_match})
    def explain(self, id: str, account_id: str) -> Result: return self._client.json("GET", _path("/posts/{}/deliveries/{}/explain", id, account_id), {})
    def list(self, **query: Any) -> Pages: return self._pages("/deliveries", query)
    def mark_published(self, id: str, account_id: str, body: Json, if_match: Optional[str] = None) -> Result: return self._client.json("POST", _path("/posts/{}/deliveries/{}/mark-published", id, account_id), {}, body=body, headers={"if-match": if_match})
    def metrics(self, **query: Any) -> Pages: return self._pages("/deliveries/metrics", query)
    def remove(self, id: str, account_id: str, if_match: Optional[str] = None) -> Result: return self._client.json("POST", _path("/posts/{}/deliveries/{}/remove", id, account_id), {}, headers={"if-match": if_match})
    def resolve(self, id: str, account_id: str, body: Json) -> Result: return self._client.json("POST", _path("/posts/{}/deliveries/{}/resolve", id, account_id), {}, body=body)
    def retry(self, id: str, account_id: str, body: Optional[Json] = None, if_match: Optional[str] = None) -> Result: return self._client.json("POST", _path("/posts/{}/deliveries/{}/retry", id, account_id), {}, body=body, headers={"if-match": if_match})
    def retry_all(self, body: Json) -> Result: return self._client.json("POST", "/deliveries/retry", {}, body=body)

class Events(_EventsExtras):
    def get(self, id: str, **query: Any) -> Result: return self._client.json("GET", _path("/events/{}", id), query)
    def list(self, **query: Any) -> Pages: return self._pages("/events", query)

class Keys(_Group):
    def create(self, body: Json) -> Result: return self._client.json("POST", "/keys", {}, body=body)
    def current(self) -> Result: return self._client.json("GET", "/key", {})
    def get(self, id: str) -> Result: return self._client.json("GET", _path("/keys/{}", id), {})
    def get_budget(self, id: str) -> Result: return self._client.json("GET", _path("/keys/{}/budget", id), {})
    def list(self, **query: Any) -> Pages: return self._pages("/keys", query)
    def put_budget(self, id: str, body: Json) -> Result: return self._client.json("PUT", _path("/keys/{}/budget", id), {}, body=body)
    def revoke(self, id: str) -> Result: return self._client.json("DELETE", _path("/keys/{}", id), {})
    def rotate(self, id: str, body: Json) -> Result: return self._client.json("POST", _path("/keys/{}/rotate", id), {}, body=body)
    def update(self, id: str, body: Json) -> Result: return self._client.json("PATCH", _path("/keys/{}", id), {}, body=body)

class Media(_Group):
    def content(self, id: str, byte_range: Optional[str] = None) -> BinaryIO: return self._client.file(_path("/media/{}/content", id), {}, byte_range)
    def delete(self, id: str) -> Result: return self._client.json("DELETE", _path("/media/{}", id), {})
    def get(self, id: str) -> Result: return self._client.json("GET", _path("/media/{}", id), {})
    def list(self, **query: Any) -> Pages: return self._pages("/media", query)
    def preview(self, id: str, byte_range: Optional[str] = None, **query: Any) -> BinaryIO: return self._client.file(_path("/media/{}/preview", id), query, byte_range)
    def update(self, id: str, body: Json) -> Result: return self._client.json("PATCH", _path("/media/{}", id), {}, body=body)

class Organizations(_Group):
    def create(self, body: Json, idempotency_key: Optional[str] = None) -> Result: return self._create("/organizations", {}, body, idempotency_key)
    def delete(self, id: str) -> Result: return self._client.json("DELETE", _path("/organizations/{}", id), {})
    def delete_member(self, id: str, user_id: str) -> Result: return self._client.json("DELETE", _path("/organizations/{}/members/{}", id, user_id), {})
    def get(self, id: str) -> Result: return self._client.json("GET", _path("/organizations/{}", id), {})
    def list(self, **query: Any) -> Pages: return self._pages("/organizations", query)
    def list_members(self, id: str, **query: Any) -> Pages: return self._pages(_path("/organizations/{}/members", id), query)
    def put_member(self, id: str, user_id: str, body: Json) -> Result: return self._client.json("PUT", _path("/organizations/{}/members/{}", id, user_id), {}, body=body)

class Platforms(_Group):
    def get(self, platform: str) -> Result: return self._client.json("GET", _path("/platforms/{}", platform), {})
    def list(self) -> Pages: return self._pages("/platforms", {})

class Posts(_PostsExtras):
    def count(self, **query: Any) -> Result: return self._client.json("GET", "/posts/counts", query)
    def create(self, body: Json, idempotency_key: Optional[str] = None, **query: Any) -> Result: return self._create("/posts", query, body, idempotency_key)
    def create_many(self, body: Json, idempotency_key: Optional[str] = None, **query: Any) -> Result: return self._create("/posts/batch", query, body, idempotency_key)
    def delete(self, id: str, if_match: Optional[str] = None) -> Result: return self._client.json("DELETE", _path("/posts/{}", id), {}, headers={"if-match": if_match})
    def delete_many(self, body: Json) -> Result: return self._client.json("POST", "/posts/delete", {}, body=body)
    def get(self, id: str) -> Result: return self._client.json("GET", _path("/posts/{}", id), {})
    def list(self, **query: Any) -> Pages: return self._pages("/posts", query)
    def metrics(self, id: str, **query: Any) -> Result: return self._client.json("GET", _path("/posts/{}/metrics", id), query)
    def publish(self, id: str, if_match: Optional[str] = None) -> Result: return self._client.json("POST", _path("/posts/{}/publish", id), {}, headers={"if-match": if_match})
    def remove(self, id: str, if_match: Optional[str] = None) -> Result: return self._client.json("POST", _path("/posts/{}/remove", id), {}, headers={"if-match": if_match})
    def update(self, id: str, body: Json, if_match: Optional[str] = None, **query: Any) -> Result: return self._client.json("PATCH", _path("/posts/{}", id), query, body=body, headers={"if-match": if_match})
    def update_many(self, body: Json, idempotency_key: Optional[str] = None, **query: Any) -> Result: return self._create("/posts/batch", query, body, idempotency_key, "PATCH")
    def validate(self, body: Json, **query: Any) -> Result: return self._client.json("POST", "/posts/validate", query, body=body, repeatable=True)
    def validate_many(self, body: Json, **query: Any) -> Result: return self._client.json("POST", "/posts/batch/validate", query, body=body, repeatable=True)

class Sandbox(_Group):
    def calls(self, **query: Any) -> Pages: return self._pages("/sandbox/calls", query)
    def clock(self) -> Result: return self._client.json("GET", "/sandbox/clock", {})
    def end_clock(self) -> Result: return self._client.json("DELETE", "/sandbox/clock", {})
    def move_clock(self, body: Json) -> Result: return self._client.json("PUT", "/sandbox/clock", {}, body=body)

class Uploads(_UploadsExtras):
    def from_url(self, body: Json, idempotency_key: Optional[str] = None) -> Result: return self._create("/media/import", {}, body, idempotency_key)
    def get(self, id: str) -> Result: return self._client.json("GET", _path("/media/{}/upload", id), {})
    def request(self, body: Json, idempotency_key: Optional[str] = None) -> Result: return self._create("/media/uploads", {}, body, idempotency_key)

class Users(_Group):
    def create(self, body: Json, idempotency_key: Optional[str] = None) -> Result: return self._create("/users", {}, body, idempotency_key)
    def create_key(self, id: str, body: Json, idempotency_key: Optional[str] = None) -> Result: return self._create(_path("/users/{}/keys", id), {}, body, idempotency_key)
    def delete(self, id: str) -> Result: return self._client.json("DELETE", _path("/users/{}", id), {})
    def get(self, id: str) -> Result: return self._client.json("GET", _path("/users/{}", id), {})
    def list(self, **query: Any) -> Pages: return self._pages("/users", query)
    def list_keys(self, id: str, **query: Any) -> Pages: return self._pages(_path("/users/{}/keys", id), query)
    def revoke_key(self, id: str, key_id: str) -> Result: return self._client.json("DELETE", _path("/users/{}/keys/{}", id, key_id), {})
    def update(self, id: str, body: Json) -> Result: return self._client.json("PATCH", _path("/users/{}", id), {}, body=body)

class Webhooks(_Group):
    def create(self, body: Json) -> Result: return self._client.json("POST", "/webhooks", {}, body=body)
    def delete(self, id: str) -> Result: return self._client.json("DELETE", _path("/webhooks/{}", id), {})
    def deliveries(self, id: str, **query: Any) -> Pages: return self._pages(_path("/webhooks/{}/deliveries", id), query)
    def end_previous_secret(self, id: str) -> Result: return self._client.json("DELETE", _path("/webhooks/{}/previous-secret", id), {})
    def get(self, id: str) -> Result: return self._client.json("GET", _path("/webhooks/{}", id), {})
    def list(self, **query: Any) -> Pages: return self._pages("/webhooks", query)
    def redeliver(self, id: str, body: Json) -> Result: return self._client.json("POST", _path("/webhooks/{}/redeliver", id), {}, body=body)
    def rotate_secret(self, id: str, body: Optional[Json] = None) -> Result: return self._client.json("POST", _path("/webhooks/{}/rotate-secret", id), {}, body=body)
    def test(self, id: str, body: Optional[Json] = None) -> Result: return self._client.json("POST", _path("/webhooks/{}/test", id), {}, body=body)
    def update(self, id: str, body: Json) -> Result: return self._client.json("PATCH", _path("/webhooks/{}", id), {}, body=body)

class Postroom(_Client):
    """A client of one Postroom service, with one API key."""
    accounts = cached_property(Accounts)
    apps = cached_property(Apps)
    connectedApps = cached_property(ConnectedApps)
    connections = cached_property(Connections)
    deliveries = cached_property(Deliveries)
    events = cached_property(Events)
    keys = cached_property(Keys)
    media = cached_property(Media)
    organizations = cached_property(Organizations)
    platforms = cached_property(Platforms)
    posts = cached_property(Posts)
    sandbox = cached_property(Sandbox)
    uploads = cached_property(Uploads)
    users = cached_property(Users)
    webhooks = cached_property(Webhooks)
