# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The playground as some web server would have it: plain files in a folder somewhere below the root."""

import functools
import http.server
import os
import threading

FOLDER = os.environ.get("JBW_PLAYGROUND", "build/playground")
PREFIX = "/courses/worlds/"


class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        if not self.path.startswith(PREFIX):
            self.send_error(404)
            return
        self.path = self.path[len(PREFIX) - 1 :]
        super().do_GET()

    def log_message(self, *arguments):
        pass


class Site:
    """Serves a folder on loopback."""

    def __init__(self, folder=FOLDER):
        handler = functools.partial(Handler, directory=folder)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}{PREFIX}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(timeout=30)
