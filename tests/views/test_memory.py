"""Memory has several truths, and they are never mixed."""

from datetime import timedelta

from tests.views.conftest import START, in_halves


def table(ledger, columns):
    return ledger.rows(f"select {columns} from memory_table order by all")


def with_telemetry(ledger, *samples, **columns):
    run = ledger.run(ledger.summary(1.0), **columns)
    log = ledger.log(*(ledger.memory(mib, device=device) for device, mib in samples))
    ledger.attach(run, log, "telemetry")
    return run


def test_each_device_has_its_own_peak(ledger):
    run = with_telemetry(ledger, ("0", 10.0), ("1", 5.0), ("0", 7.0))

    rows = ledger.rows("select run_id, definition, device, value_mib, records_used from run_memory order by device")

    assert rows == [(run, "device", "0", 10.0, 2), (run, "device", "1", 5.0, 1)]


@in_halves
def test_definitions_are_rows_of_their_own(ledger):
    run = ledger.run(
        ledger.memory(9860.0, "memory_allocated", "event", rank=0), ledger.memory(11226.0, "memory_reserved", "event")
    )
    ledger.attach(run, ledger.log(ledger.memory(12607.0, device="0")), "telemetry")

    yield
    assert ledger.rows("select definition, device, value_mib from run_memory order by all") == [
        ("allocated", "rank 0", 9860.0),
        ("device", "0", 12607.0),
        ("reserved", None, 11226.0),
    ]


@in_halves
def test_a_step_may_state_the_memory_of_the_device(ledger):
    ledger.run(ledger.memory(10.0, "memory_used", "step"))

    yield
    assert ledger.rows("select definition, value_mib from run_memory") == [("device", 10.0)]


@in_halves
def test_only_telemetry_and_steps_are_memory_of_the_device(ledger):
    ledger.run(ledger.memory(10.0, "memory_used", "event"))

    yield
    assert ledger.rows("select * from run_memory") == []


def test_a_series_has_the_median_over_trials_of_the_fullest_device(ledger):
    environment = {"gpu_model": "V100", "gpu_memory_mib": 100}
    for peak in (10.0, 30.0, 20.0):
        with_telemetry(ledger, ("0", peak), ("1", peak - 5), environment=environment)

    assert table(ledger, "definition, value_mib, gpu_memory_mib, headroom_mib, trials") == [
        ("device", 20.0, 100, 80.0, 3)
    ]


def test_what_a_run_held_when_it_ran_out_is_not_what_the_case_needs(ledger):
    with_telemetry(ledger, ("0", 10.0))
    with_telemetry(ledger, ("0", 99.0), status="oom")
    with_telemetry(ledger, ("0", 98.0), status="oom", campaigns=("d",))

    assert table(ledger, "campaign, value_mib, trials, trials_dropped, status") == [
        ("c", 10.0, 1, 1, "ok"),
        ("d", None, 0, 1, "oom"),
    ]


@in_halves
def test_telemetry_of_a_shared_machine_counts_only_the_devices_of_the_run(ledger):
    run = ledger.run()
    log = ledger.log(ledger.memory(10.0, device="0"), ledger.memory(90.0, device="1"))
    ledger.attach(run, log, "telemetry", devices=["0"])

    yield
    assert ledger.rows("select device, value_mib from run_memory") == [("0", 10.0)]


@in_halves
def test_telemetry_that_no_run_claims_is_no_memory_of_a_run(ledger):
    ledger.log(ledger.memory(10.0, device="0"))

    yield
    assert ledger.rows("select * from run_memory") == []


def test_without_the_gpus_memory_there_is_no_headroom(ledger):
    with_telemetry(ledger, ("0", 10.0))

    assert table(ledger, "value_mib, gpu_memory_mib, headroom_mib") == [(10.0, None, None)]


def test_rows_of_one_time_without_a_device_are_of_several(ledger):
    one, two = ledger.run(ledger.summary(1.0)), ledger.run(ledger.summary(2.0))
    for run, rows in (
        (one, ((1, 900.0), (2, 5000.0))),
        (two, ((1, 900.0), (1, 70.0), (2, 1000.0), (2, 80.0), (3, 7.0))),
    ):
        samples = (ledger.memory(mib, logged_at=START + timedelta(seconds=second)) for second, mib in rows)
        ledger.attach(run, ledger.log(*samples), "telemetry")

    rows = ledger.rows("select run_id, device, value_mib, records_used from run_memory order by value_mib")

    assert rows == [(two, "row 2", 80.0, 2), (two, None, 1000.0, 3), (one, None, 5000.0, 2)]
