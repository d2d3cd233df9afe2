"""Users of Locust that ask for one address and read the answer's JSON."""

import json
import os

from locust import FastHttpUser, constant_pacing, constant_throughput, events, task

RATE = float(os.environ.get("BENCH_RATE_PER_USER", "0"))
PACING = float(os.environ.get("BENCH_PACING_SECONDS", "0"))
PATH = os.environ["BENCH_PATH"]


class Client(FastHttpUser):
    if RATE > 0:
        wait_time = constant_throughput(RATE)
    elif PACING > 0:
        wait_time = constant_pacing(PACING)

    @task
    def poll(self):
        with self.client.get(PATH, catch_response=True) as response:
            if response.json()["status"] != "running":
                response.failure("not running")


@events.quitting.add_listener
def tell(environment, **_):
    print(json.dumps({"requests": environment.stats.total.num_requests}), flush=True)
