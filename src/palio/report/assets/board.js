// The leaderboard: sorted and filtered.
"use strict";
