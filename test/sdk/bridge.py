"""Calls the Python client as lines of JSON from stdin say, and prints its results and errors."""

import json
import sys
from itertools import islice
from operator import attrgetter

import postroom


def call(method, client, args, kwargs, take=None):
    target = attrgetter(method)(postroom if client is None else postroom.Postroom(**client))
    result = target(*args, **kwargs)
    if take is not None:
        return {"result": list(islice(result, take)), "headers": []}
    if isinstance(result, postroom.Pages):
        result = result.first()
    if hasattr(result, "read"):
        return {"bytes": len(result.read()), "headers": list(result.headers.items())}
    status, headers = getattr(result, "status", None), getattr(result, "headers", {})
    return {"result": result, "status": status, "headers": list(headers.items())}


for line in sys.stdin:
    try:
        reply = call(**json.loads(line))
    except Exception as error:
        facts = {name: getattr(error, name, None) for name in ("status", "code", "retry_after", "body")}
        headers = list((getattr(error, "headers", None) or {}).items())
        reply = {"error": type(error).__name__, "message": str(error), **facts, "headers": headers}
    print(json.dumps(reply), flush=True)
