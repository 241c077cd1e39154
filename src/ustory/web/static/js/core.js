// What every page runs: colours, keys, times, the zone, and the stream of events.
import { startKeyboard } from "./keyboard.js";
import { startLive } from "./live.js";
import { startSearch } from "./search.js";
import { startTheme } from "./theme.js";
import { startTimes } from "./times.js";
import { startZone } from "./zone.js";

startTheme();
startKeyboard();
startTimes();
startZone();
startLive();
startSearch();
