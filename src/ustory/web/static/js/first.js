// A page with nothing on it waits for the first news: there is nothing to disturb.
import { onEvents } from "./live.js";

onEvents(() => location.reload());
