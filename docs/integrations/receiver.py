"""Receives the messages of a webhook, without packages: WEBHOOK_SECRET=whsec_… PORT=8080 python3 receiver.py"""
import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

key = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
seen = set()  # in real life a table of events with a unique id, so that none is lost when this stops


def is_signed(headers, body):
    message_id, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not sent_at.isdigit() or abs(time.time() - int(sent_at)) > 300:
        return False
    digest = hmac.new(key, f"{message_id}.{sent_at}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    # After a rotation two secrets sign, separated by a space.
    signatures = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(one, expected) for one in signatures)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if not is_signed(self.headers, body):
            self.send_response(401)
            return self.end_headers()
        event = json.loads(body)
        is_known = event["id"] in seen
        seen.add(event["id"])
        # Answer when the event is kept, and work afterwards: what takes longer than 15 seconds is sent again.
        self.send_response(204)
        self.end_headers()
        if not is_known:
            print(event["type"], event.get("sequence", ""), flush=True)


HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver).serve_forever()
