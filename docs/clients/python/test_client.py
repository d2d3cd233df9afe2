"""The ten tests of docs/your-tests.md, over HTTP."""
import pytest
from crew_client import run_crew


def run(crew, topic="bees", deadline=60):
    return run_crew(crew.url, crew.token, {"topic": topic}, crew.advance, deadline)


def test_retries_a_503_once(crew):
    crew.fault(status={"code": 503}, operations=["kickoff"], only=1)
    run(crew)
    assert [row["status"] for row in crew.requests(operation="kickoff")] == [503, 200]
    assert len(crew.ledger()) == 1


def test_waits_for_retry_after(crew):
    status = {"code": 429, "headers": {"retry-after": "7"}}
    crew.fault(status=status, operations=["kickoff"], only=1)
    run(crew)
    first, second = crew.requests(operation="kickoff")
    assert second["at_ms"] - first["answered_ms"] == 7_000


def test_gives_up_at_its_deadline(crew):
    crew.fault(stuck={})
    with pytest.raises(RuntimeError, match="gave up"):
        run(crew, deadline=20)
    crew.advance(600)
    assert len(crew.requests(operation="status")) == 20


def test_never_kicks_off_twice_after_a_reset(crew):
    crew.fault(reset={"at": "before"}, operations=["kickoff"])
    with pytest.raises(OSError):
        run(crew)
    assert len(crew.ledger()) == 1


def test_survives_a_malformed_third_poll(crew):
    crew.fault(malformed={}, operations=["status"], only=3)
    assert run(crew)["status"] == "completed"
    struck = [len(row["faults"]) for row in crew.requests(operation="status")]
    assert struck == [0, 0, 1, 0, 0]


def test_says_why_a_run_failed(crew):
    with pytest.raises(RuntimeError, match="no tea left"):
        run(crew, "wasps")
    [row] = crew.ledger()
    assert (row["outcome"], len(row["tasks"])) == ("failed", 1)


def test_waits_for_a_slow_input_and_gives_up_if_it_is_too_slow(crew):
    assert run(crew, "whales")["status"] == "completed"
    with pytest.raises(RuntimeError, match="gave up"):
        run(crew, "whales", deadline=30)
    crew.advance(12)
    assert [row["outcome"] for row in crew.ledger()] == ["completed", "completed"]


def test_says_so_when_its_token_expires(crew):
    crew.fault(denied={"why": "expired"}, window={"from": "3s"})
    with pytest.raises(RuntimeError, match="not valid any more"):
        run(crew)
    assert [row["status"] for row in crew.requests()] == [200, 200, 200, 401]


def test_polls_once_a_second_until_the_end(crew):
    run(crew)
    [row] = crew.ledger()
    times = [poll["at_ms"] - row["accepted_ms"] for poll in crew.requests(operation="status")]
    assert times == [1_000, 2_000, 3_000, 4_000, 5_000]
    assert row["ended_ms"] - row["accepted_ms"] == 5_000


def test_ten_minutes_of_outage_are_over_in_no_time(crew):
    crew.fault(status={"code": 503})
    with pytest.raises(RuntimeError, match="kickoff: 503"):
        run(crew)
    crew.advance(600)
    crew.control("faults", method="DELETE")
    assert run(crew)["status"] == "completed"
