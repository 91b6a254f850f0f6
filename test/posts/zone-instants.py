"""Computes the instants of slots by Python's zoneinfo, which reads the time zones of the system.

Reads {"zones": [...], "times": ["HH:MM", ...], "years": [first, last]}. Prints a JSON list of windows: around each
change of the clocks of each zone, and a week in July of the first year. Each has the zone, its first day as a number
since 1970, the number of days in UTC, and the minutes since 1970 at which a schedule with these times on every day has
slots.
"""
import json
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)


def offset_at(instant, zone):
    return instant.astimezone(zone).utcoffset()


def first_instant(shown, zone):
    """The first instant at which the clocks show a local time; the first after the gap for one that they skip."""
    instant = shown.replace(tzinfo=zone).astimezone(timezone.utc)
    if instant.astimezone(zone).replace(tzinfo=None) == shown:
        return instant
    low = shown.replace(tzinfo=zone, fold=1).astimezone(timezone.utc)
    before, high = offset_at(low, zone), instant
    while high - low > MINUTE:
        middle = low + (high - low) // MINUTE // 2 * MINUTE
        low, high = (middle, high) if offset_at(middle, zone) == before else (low, middle)
    return high


def window(name, zone, times, day, days):
    start = EPOCH + day * DAY
    instants = set()
    for number in range(-2, days + 2):
        date = (start + number * DAY).replace(tzinfo=None)
        for hour, minute in times:
            instant = first_instant(date + timedelta(hours=hour, minutes=minute), zone)
            if start <= instant < start + days * DAY:
                instants.add((instant - EPOCH) // MINUTE)
    return [name, day, days, sorted(instants)]


def windows(name, times, first, last):
    try:
        zone = ZoneInfo(name)
    except ZoneInfoNotFoundError:
        return
    day = (datetime(first, 1, 1, tzinfo=timezone.utc) - EPOCH).days
    end = (datetime(last + 1, 1, 1, tzinfo=timezone.utc) - EPOCH).days
    yield window(name, zone, times, day + 181, 7)
    before = offset_at(EPOCH + day * DAY, zone)
    while day < end:
        offset = offset_at(EPOCH + (day + 1) * DAY, zone)
        if offset != before:
            yield window(name, zone, times, day - 1, 3)
        before = offset
        day += 1


wanted = json.load(sys.stdin)
times = [tuple(map(int, time.split(":"))) for time in wanted["times"]]
json.dump([each for name in wanted["zones"] for each in windows(name, times, *wanted["years"])], sys.stdout)
