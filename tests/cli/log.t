xylem log: the entries of a path, a line for each, or whole.

  $ . "$TESTDIR/setup.sh"
  $ TOOLS_ID=01a1f9f4-8605-7782-ba89-dc402e2075d2
  $ sessions() {
  >     scenario
  >     xylem import -q $SESSIONS/print-and-json/*_$TOOLS_ID.jsonl >/dev/null
  > }

Logs are listed.

  $ sessions
  $ xylem log $SCENARIO_ID
  20  32512cc7  2026-11-20 17:18:05  assistant              <leaf> echo: after resume
  19  e37e3f3d  2026-11-20 17:18:05  user                   after resume
  18  8db136e6  2026-11-20 17:18:05  assistant              echo: after compaction
  17  4f9ef798  2026-11-20 17:18:05  user                   after compaction
  16  d8b2463f  2026-11-20 17:18:05  compaction             ## Goal Faux summary #25 ## Progress - summarised 5851 chars -…  6.1 KiB
  15  63ff5e92  2026-11-20 17:18:05  assistant              word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 wo…  4.2 KiB
  14  b0bc11ca  2026-11-20 17:18:05  user                   !big 500
  13  7e89d41d  2026-11-20 17:18:05  assistant              word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 wo…  5.0 KiB
  12  7c1eb7ea  2026-11-20 17:18:05  user                   !big 600
  11  54d08232  2026-11-20 17:18:05  assistant              echo: branch B second
  10  d3fe142d  2026-11-20 17:18:05  user                   branch B second
   9  3dc585ab  2026-11-20 17:18:05  custom:readonly        {"enabled":true}
   8  5b8612f6  2026-11-20 17:18:05  assistant              echo: branch B question
   7  d3300e75  2026-11-20 17:18:05  user                   branch B question
   6  8d16e680  2026-11-20 17:18:05  assistant              echo: first question
   5  15efa3b4  2026-11-20 17:18:05  user                   first question
   4  6bc7b764  2026-11-20 17:18:05  system                 You are an expert coding assistant operating inside pi, a codi…  5.6 KiB
   3  d6a8b13d  2026-11-20 17:18:05  thinking_level_change  off
   2  ca6c99db  2026-11-20 17:18:05  model_change           fauxhost/faux-1
   1  b8ef64c6  2026-11-20 17:18:05  session_info           scenario one
  $ xylem log $SCENARIO_ID:d134ab3f -n 3 --jsonl
  {"schema":1,"entry":"d134ab3f","parent":"c3ce1abe","kind":"custom:readonly","time":"2026-11-20T17:18:05.686Z","depth":13,"label":null,"payload":{"enabled":false}}
  {"schema":1,"entry":"c3ce1abe","parent":"6f7578e6","kind":"label","time":"2026-11-20T17:18:05.686Z","depth":12,"label":null,"payload":{"targetId":"6f7578e6","label":"after-block"}}
  {"schema":1,"entry":"6f7578e6","parent":"be4cd5e4","kind":"message","time":"2026-11-20T17:18:05.684Z","depth":11,"label":"after-block","payload":{"message":{"role":"assistant","content":[{"type":"text","text":"done: Readonly mode: write/edit disabled. Use /readonly to disable"}],"api":"openai-completions","provider":"fauxhost","model":"faux-1","usage":{"input":1530,"output":17,"cacheRead":0,"cacheWrite":0,"reasoning":0,"totalTokens":1547,"cost":{"input":0.00153,"output":0.000034,"cacheRead":0,"cacheWrite":0,"total":0.0015639999999999999}},"stopReason":"stop","timestamp":1795195085671,"responseId":"cc-18","rawStopReason":"stop"}}}
  $ xylem log $SCENARIO_ID -n 0
  $ xylem log $SCENARIO_ID:none --jsonl

Lines are laid out for the terminal.

  $ COLUMNS=60 xylem log $SCENARIO_ID -n 4
  20  32512cc7  2h  assistant   <leaf> echo: after resume
  19  e37e3f3d  2h  user        after resume
  18  8db136e6  2h  assistant   echo: after compaction
  17  4f9ef798  2h  user        after compaction
  $ COLUMNS=80 xylem log $SCENARIO_ID
  20  32512cc7  2h  assistant        <leaf> echo: after resume
  19  e37e3f3d  2h  user             after resume
  18  8db136e6  2h  assistant        echo: after compaction
  17  4f9ef798  2h  user             after compaction
  16  d8b2463f  2h  compaction       ## Goal Faux summary #25 ## Progres…  6.1 KiB
  15  63ff5e92  2h  assistant        word0 word1 word2 word3 word4 word5…  4.2 KiB
  14  b0bc11ca  2h  user             !big 500
  13  7e89d41d  2h  assistant        word0 word1 word2 word3 word4 word5…  5.0 KiB
  12  7c1eb7ea  2h  user             !big 600
  11  54d08232  2h  assistant        echo: branch B second
  10  d3fe142d  2h  user             branch B second
   9  3dc585ab  2h  custom:readonly  {"enabled":true}
   8  5b8612f6  2h  assistant        echo: branch B question
   7  d3300e75  2h  user             branch B question
   6  8d16e680  2h  assistant        echo: first question
   5  15efa3b4  2h  user             first question
   4  6bc7b764  2h  system           You are an expert coding assistant …  5.6 KiB
   3  d6a8b13d  2h  thinking_level…  off
   2  ca6c99db  2h  model_change     fauxhost/faux-1
   1  b8ef64c6  2h  session_info     scenario one
  $ COLUMNS=160 xylem log $SCENARIO_ID
  20  32512cc7  2h  assistant              <leaf> echo: after resume
  19  e37e3f3d  2h  user                   after resume
  18  8db136e6  2h  assistant              echo: after compaction
  17  4f9ef798  2h  user                   after compaction
  16  d8b2463f  2h  compaction             ## Goal Faux summary #25 ## Progress - summarised 5851 chars --- **Turn Context (split turn):** ## Goal Faux …  6.1 KiB
  15  63ff5e92  2h  assistant              word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 word11 word12 word13 word14 word15 word16 …  4.2 KiB
  14  b0bc11ca  2h  user                   !big 500
  13  7e89d41d  2h  assistant              word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 word11 word12 word13 word14 word15 word16 …  5.0 KiB
  12  7c1eb7ea  2h  user                   !big 600
  11  54d08232  2h  assistant              echo: branch B second
  10  d3fe142d  2h  user                   branch B second
   9  3dc585ab  2h  custom:readonly        {"enabled":true}
   8  5b8612f6  2h  assistant              echo: branch B question
   7  d3300e75  2h  user                   branch B question
   6  8d16e680  2h  assistant              echo: first question
   5  15efa3b4  2h  user                   first question
   4  6bc7b764  2h  system                 You are an expert coding assistant operating inside pi, a coding agent harness. You help users by reading fil…  5.6 KiB
   3  d6a8b13d  2h  thinking_level_change  off
   2  ca6c99db  2h  model_change           fauxhost/faux-1
   1  b8ef64c6  2h  session_info           scenario one
  $ COLUMNS=80 xylem log $TOOLS_ID
  13  75747dc5  2h  assistant        <leaf> done: (no output)
  12  f8756d94  2h  toolResult       bash: (no output)
  11  bddf6916  2h  assistant        bash(ls)
  10  fa102d35  2h  user             !tool bash {"command":"ls"}
   9  e24ebb1a  2h  assistant        done: Readonly mode: write/edit disabled. Us…
   8  6381f1b4  2h  toolResult       read error: ENOENT: no such file or director…
   7  950f5478  2h  toolResult       bash: hi
   6  30ca9ee7  2h  toolResult       write error: Readonly mode: write/edit disab…
   5  4527ecfe  2h  assistant        write(a.txt) bash(echo hi) read(nope.txt)
   4  d2442461  2h  user             !tools [["write",{"path":"a.txt","content":"…
   3  5e4c8e3e  2h  system           You are an expert coding assistant …  5.6 KiB
   2  3cc6c9d2  2h  thinking_level…  off
   1  32758f47  2h  model_change     fauxhost/faux-1
  $ COLUMNS=80 xylem log $TOOLS_ID --color always
  13  \x1b[33m75747dc5\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[34massistant\x1b[0m        \x1b[32m<leaf>\x1b[0m done: (no output) (esc)
  12  \x1b[33mf8756d94\x1b[0m  \x1b[2m2h\x1b[0m  toolResult       bash: (no output) (esc)
  11  \x1b[33mbddf6916\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[34massistant\x1b[0m        \x1b[36mbash(ls)\x1b[0m (esc)
  10  \x1b[33mfa102d35\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[32muser\x1b[0m             !tool bash {"command":"ls"} (esc)
   9  \x1b[33me24ebb1a\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[34massistant\x1b[0m        done: Readonly mode: write/edit disabled. Us… (esc)
   8  \x1b[33m6381f1b4\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[31mtoolResult\x1b[0m       \x1b[31mread error:\x1b[0m ENOENT: no such file or director… (esc)
   7  \x1b[33m950f5478\x1b[0m  \x1b[2m2h\x1b[0m  toolResult       bash: hi (esc)
   6  \x1b[33m30ca9ee7\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[31mtoolResult\x1b[0m       \x1b[31mwrite error:\x1b[0m Readonly mode: write/edit disab… (esc)
   5  \x1b[33m4527ecfe\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[34massistant\x1b[0m        \x1b[36mwrite(a.txt)\x1b[0m \x1b[36mbash(echo hi)\x1b[0m \x1b[36mread(nope.txt)\x1b[0m (esc)
   4  \x1b[33md2442461\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[32muser\x1b[0m             !tools [["write",{"path":"a.txt","content":"… (esc)
   3  \x1b[33m5e4c8e3e\x1b[0m  \x1b[2m2h\x1b[0m  system           You are an expert coding assistant …\x1b[2m  5.6 KiB\x1b[0m (esc)
   2  \x1b[33m3cc6c9d2\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[36mthinking_level…\x1b[0m  off (esc)
   1  \x1b[33m32758f47\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[36mmodel_change\x1b[0m     fauxhost/faux-1 (esc)
  $ LC_ALL=C COLUMNS=60 xylem log $TOOLS_ID
  13  75747dc5  2h  assistant        <leaf> done: (no output)
  12  f8756d94  2h  toolResult       bash: (no output)
  11  bddf6916  2h  assistant        bash(ls)
  10  fa102d35  2h  user             !tool bash {"command":"l~
   9  e24ebb1a  2h  assistant        done: Readonly mode: wri~
   8  6381f1b4  2h  toolResult       read error: ENOENT: no s~
   7  950f5478  2h  toolResult       bash: hi
   6  30ca9ee7  2h  toolResult       write error: Readonly mo~
   5  4527ecfe  2h  assistant        write(a.txt) bash(echo h~
   4  d2442461  2h  user             !tools [["write",{"path"~
   3  5e4c8e3e  2h  system           You are an expe~  5.6 KiB
   2  3cc6c9d2  2h  thinking_level~  off
   1  32758f47  2h  model_change     fauxhost/faux-1

No line is wider than the terminal. In the locale C a byte is a cell.

  $ LC_ALL=C COLUMNS=70 xylem log $SCENARIO_ID:6f7578e6
  11  6f7578e6  2h  assistant        [after-block] done: Readonly mode:~
  10  be4cd5e4  2h  toolResult       write error: Readonly mode: write/~
   9  fdf4cbd2  2h  assistant        write(ro.txt)
   8  26de9cb1  2h  user             !tool write {"path":"ro.txt","cont~
   7  88fe2aff  2h  custom:readonly  {"enabled":true}
   6  8d16e680  2h  assistant        echo: first question
   5  15efa3b4  2h  user             first question
   4  6bc7b764  2h  system           You are an expert coding ~  5.6 KiB
   3  d6a8b13d  2h  thinking_level~  off
   2  ca6c99db  2h  model_change     fauxhost/faux-1
   1  b8ef64c6  2h  session_info     scenario one
  $ LC_ALL=C COLUMNS=70 xylem log $SCENARIO_ID:6f7578e6 | grep '.\{71\}'
  [1]

A full log says everything.

  $ xylem log $TOOLS_ID --full
  75747dc5  message assistant  <leaf>
  2026-11-20 17:15:14 (2h ago), depth 13, 443 B
  
      done: (no output)
  
  f8756d94  message toolResult, bash
  2026-11-20 17:15:14 (2h ago), depth 12, 166 B
  
      (no output)
  
  bddf6916  message assistant
  2026-11-20 17:15:14 (2h ago), depth 11, 486 B
  
      calls bash
        command: ls
  
  fa102d35  message user
  2026-11-20 17:15:14 (2h ago), depth 10, 122 B
  
      !tool bash {"command":"ls"}
  
  e24ebb1a  message assistant
  2026-11-20 17:15:14 (2h ago), depth 9, 574 B
  
      done: Readonly mode: write/edit disabled. Use /readonly to disable | hi
       | ENOENT: no such file or directory, access '/home/dev/proj/no
  
  6381f1b4  message toolResult, read, error
  2026-11-20 17:15:14 (2h ago), depth 8, 234 B
  
      ENOENT: no such file or directory, access '/home/dev/proj/nope.txt'
  
  950f5478  message toolResult, bash
  2026-11-20 17:15:14 (2h ago), depth 7, 159 B
  
      hi
  
  30ca9ee7  message toolResult, write, error
  2026-11-20 17:15:14 (2h ago), depth 6, 229 B
  
      Readonly mode: write/edit disabled. Use /readonly to disable.
  
  4527ecfe  message assistant
  2026-11-20 17:15:14 (2h ago), depth 5, 654 B
  
      calls write
        path: a.txt
        content: x
  
      calls bash
        command: echo hi
  
      calls read
        path: nope.txt
  
  d2442461  message user
  2026-11-20 17:15:14 (2h ago), depth 4, 222 B
  
      !tools [["write",{"path":"a.txt","content":"x"}],["bash",{"command":"echo hi"}],["read",{"path":"nope.txt"}]]
  
  5e4c8e3e  message system
  2026-11-20 17:15:14 (2h ago), depth 3, 5.6 KiB
  
      preamble:
        You are an expert coding assistant operating inside pi, a coding agent harness. You help users by reading files, executing commands, editing code, and writing new files.
  
      tools:
        <tools>
        - read: Read file contents
        - bash: Execute bash commands (ls, grep, find, etc.)
        - edit: Make precise file edits with exact text replacement, including multiple disjoint edits in one call
        - write: Create or overwrite files
  
        In addition to the tools above, you may have access to other custom tools depending on the project.
        </tools>
  
      rules:
        <rules>
        - Use bash for file operations like ls, rg, find
        - Use read to examine files instead of cat or sed.
        - You can inspect PI_* environment variables for current model and session details.
        - Use edit for precise changes (edits[].oldText must match exactly)
        - When changing multiple separate locations in one file, use one edit call with multiple entries in edits[] instead of multiple edit calls
        - Each edits[].oldText is matched against the original file, not after earlier edits are applied. Do not emit overlapping or nested edits. Merge nearby changes into one edit.
        - Keep edits[].oldText as small as possible while still being unique in the file. Do not pad with large unchanged regions.
        - Use write only for new files or complete rewrites.
        - Be concise in your responses
        - Show file paths clearly when working with files
        </rules>
  
      docs:
        <docs>
        Pi documentation (read only when the user asks about pi itself, its SDK, extensions, themes, skills, or TUI):
        - Main documentation: /opt/pi/node_modules/@earendil-works/pi-coding-agent/README.md
        - Additional docs: /opt/pi/node_modules/@earendil-works/pi-coding-agent/docs
        - Examples: /opt/pi/node_modules/@earendil-works/pi-coding-agent/examples (extensions, custom tools, SDK)
        - When reading pi docs or examples, resolve docs/... under Additional docs and examples/... under Examples, not the current working directory
        - When asked about: extensions (docs/extensions.md, examples/extensions/), themes (docs/themes.md), skills (docs/skills.md), prompt templates (docs/prompt-templates.md), TUI components (docs/tui.md), keybindings (docs/keybindings.md), SDK integrations (docs/sdk.md), custom providers (docs/custom-provider.md), adding models (docs/models.md), pi packages (docs/packages.md), environment variables (docs/environment-variables.md)
        - When working on pi topics, read the docs and examples, and follow .md cross-references before implementing
        - Always read pi .md files completely and follow links to related docs (e.g., tui.md for TUI API details)
        </docs>
  
      cwd:
        <cwd>
        /home/dev/proj
        </cwd>
  
  3cc6c9d2  thinking_level_change
  2026-11-20 17:15:14 (2h ago), depth 2, 23 B
  
      off
  
  32758f47  model_change
  2026-11-20 17:15:14 (2h ago), depth 1, 42 B
  
      fauxhost/faux-1
  $ COLUMNS=80 xylem log $SCENARIO_ID --full -n 8
  32512cc7  message assistant  <leaf>
  2026-11-20 17:18:05 (2h ago), depth 20, 445 B
  
      echo: after resume
  
  e37e3f3d  message user
  2026-11-20 17:18:05 (2h ago), depth 19, 103 B
  
      after resume
  
  8db136e6  message assistant
  2026-11-20 17:18:05 (2h ago), depth 18, 447 B
  
      echo: after compaction
  
  4f9ef798  message user
  2026-11-20 17:18:05 (2h ago), depth 17, 107 B
  
      after compaction
  
  d8b2463f  compaction
  2026-11-20 17:18:05 (2h ago), depth 16, 6.1 KiB
  
      ## Goal
      Faux summary #25
      ## Progress
      - summarised 5851 chars
  
      ---
  
      **Turn Context (split turn):**
  
      ## Goal
      Faux summary #26
      ## Progress
      - summarised 712 chars
  
  63ff5e92  message assistant
  2026-11-20 17:18:05 (2h ago), depth 15, 4.2 KiB
  
      word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 word11
      word12 word13 word14 word15 word16 word17 word18 word19 word20 word21 word22
      word23 word24 word25 word26 word27 word28 word29 word30 word31 word32 word33
      word34 word35 word36 word37 word38 word39 word40 word41 word42 word43 word44
      word45 word46 word47 word48 word49 word50 word51 word52 word53 word54 word55
      word56 word57 word58 word59 word60 word61 word62 word63 word64 word65 word66
      word67 word68 word69 word70 word71 word72 word73 word74 word75 word76 word77
      word78 word79 word80 word81 word82 word83 word84 word85 word86 word87 word88
      word89 word90 word91 word92 word93 word94 word95 word96 word97 word98 word99
      word100 word101 word102 word103 word104 word105 word106 word107 word108
      word109 word110 word111 word112 word113 word114 word115 word116 word117
      word118 word119 word120 word121 word122 word123 word124 word125 word126
      word127 word128 word129 word130 word131 word132 word133 word134 word135
      word136 word137 word138 word139 word140 word141 word142 word143 word144
      word145 word146 word147 word148 word149 word150 word151 word152 word153
      word154 word155 word156 word157 word158 word159 word160 word161 word162
      word163 word164 word165 word166 word167 word168 word169 word170 word171
      word172 word173 word174 word175 word176 word177 word178 word179 word180
      word181 word182 word183 word184 word185 word186 word187 word188 word189
      word190 word191 word192 word193 word194 word195 word196 word197 word198
      word199 word200 word201 word202 word203 word204 word205 word206 word207
      word208 word209 word210 word211 word212 word213 word214 word215 word216
      word217 word218 word219 word220 word221 word222 word223 word224 word225
      word226 word227 word228 word229 word230 word231 word232 word233 word234
      word235 word236 word237 word238 word239 word240 word241 word242 word243
      word244 word245 word246 word247 word248 word249 word250 word251 word252
      word253 word254 word255 word256 word257 word258 word259 word260 word261
      word262 word263 word264 word265 word266 word267 word268 word269 word270
      word271 word272 word273 word274 word275 word276 word277 word278 word279
      word280 word281 word282 word283 word284 word285 word286 word287 word288
      word289 word290 word291 word292 word293 word294 word295 word296 word297
      word298 word299 word300 word301 word302 word303 word304 word305 word306
      word307 word308 word309 word310 word311 word312 word313 word314 word315
      word316 word317 word318 word319 word320 word321 word322 word323 word324
      word325 word326 word327 word328 word329 word330 word331 word332 word333
      word334 word335 word336 word337 word338 word339 word340 word341 word342
      word343 word344 word345 word346 word347 word348 word349 word350 word351
      word352 word353 word354 word355 word356 word357 word358 word359 word360
      word361 word362 word363 word364 word365 word366 word367 word368 word369
      word370 word371 word372 word373 word374 word375 word376 word377 word378
      word379 word380 word381 word382 word383 word384 word385 word386 word387
      word388 word389 word390 word391 word392 word393 word394 word395 word396
      word397 word398 word399 word400 word401 word402 word403 word404 word405
      word406 word407 word408 word409 word410 word411 word412 word413 word414
      word415 word416 word417 word418 word419 word420 word421 word422 word423
      word424 word425 word426 word427 word428 word429 word430 word431 word432
      word433 word434 word435 word436 word437 word438 word439 word440 word441
      word442 word443 word444 word445 word446 word447 word448 word449 word450
      word451 word452 word453 word454 word455 word456 word457 word458 word459
      word460 word461 word462 word463 word464 word465 word466 word467 word468
      word469 word470 word471 word472 word473 word474 word475 word476 word477
      word478 word479 word480 word481 word482 word483 word484 word485 word486
      word487 word488 word489 word490 word491 word492 word493 word494 word495
      word496 word497 word498 word499
  
  b0bc11ca  message user
  2026-11-20 17:18:05 (2h ago), depth 14, 99 B
  
      !big 500
  
  7e89d41d  message assistant
  2026-11-20 17:18:05 (2h ago), depth 13, 5.0 KiB
  
      word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 word11
      word12 word13 word14 word15 word16 word17 word18 word19 word20 word21 word22
      word23 word24 word25 word26 word27 word28 word29 word30 word31 word32 word33
      word34 word35 word36 word37 word38 word39 word40 word41 word42 word43 word44
      word45 word46 word47 word48 word49 word50 word51 word52 word53 word54 word55
      word56 word57 word58 word59 word60 word61 word62 word63 word64 word65 word66
      word67 word68 word69 word70 word71 word72 word73 word74 word75 word76 word77
      word78 word79 word80 word81 word82 word83 word84 word85 word86 word87 word88
      word89 word90 word91 word92 word93 word94 word95 word96 word97 word98 word99
      word100 word101 word102 word103 word104 word105 word106 word107 word108
      word109 word110 word111 word112 word113 word114 word115 word116 word117
      word118 word119 word120 word121 word122 word123 word124 word125 word126
      word127 word128 word129 word130 word131 word132 word133 word134 word135
      word136 word137 word138 word139 word140 word141 word142 word143 word144
      word145 word146 word147 word148 word149 word150 word151 word152 word153
      word154 word155 word156 word157 word158 word159 word160 word161 word162
      word163 word164 word165 word166 word167 word168 word169 word170 word171
      word172 word173 word174 word175 word176 word177 word178 word179 word180
      word181 word182 word183 word184 word185 word186 word187 word188 word189
      word190 word191 word192 word193 word194 word195 word196 word197 word198
      word199 word200 word201 word202 word203 word204 word205 word206 word207
      word208 word209 word210 word211 word212 word213 word214 word215 word216
      word217 word218 word219 word220 word221 word222 word223 word224 word225
      word226 word227 word228 word229 word230 word231 word232 word233 word234
      word235 word236 word237 word238 word239 word240 word241 word242 word243
      word244 word245 word246 word247 word248 word249 word250 word251 word252
      word253 word254 word255 word256 word257 word258 word259 word260 word261
      word262 word263 word264 word265 word266 word267 word268 word269 word270
      word271 word272 word273 word274 word275 word276 word277 word278 word279
      word280 word281 word282 word283 word284 word285 word286 word287 word288
      word289 word290 word291 word292 word293 word294 word295 word296 word297
      word298 word299 word300 word301 word302 word303 word304 word305 word306
      word307 word308 word309 word310 word311 word312 word313 word314 word315
      word316 word317 word318 word319 word320 word321 word322 word323 word324
      word325 word326 word327 word328 word329 word330 word331 word332 word333
      word334 word335 word336 word337 word338 word339 word340 word341 word342
      word343 word344 word345 word346 word347 word348 word349 word350 word351
      word352 word353 word354 word355 word356 word357 word358 word359 word360
      word361 word362 word363 word364 word365 word366 word367 word368 word369
      word370 word371 word372 word373 word374 word375 word376 word377 word378
      word379 word380 word381 word382 word383 word384 word385 word386 word387
      word388 word389 word390 word391 word392 word393 word394 word395 word396
      word397 word398 word399 word400 word401 word402 word403 word404 word405
      word406 word407 word408 word409 word410 word411 word412 word413 word414
      word415 word416 word417 word418 word419 word420 word421 word422 word423
      word424 word425 word426 word427 word428 word429 word430 word431 word432
      word433 word434 word435 word436 word437 word438 word439 word440 word441
      word442 word443 word444 word445 word446 word447 word448 word449 word450
      word451 word452 word453 word454 word455 word456 word457 word458 word459
      word460 word461 word462 word463 word464 word465 word466 word467 word468
      word469 word470 word471 word472 word473 word474 word475 word476 word477
      word478 word479 word480 word481 word482 word483 word484 word485 word486
      word487 word488 word489 word490 word491 word492 word493 word494 word495
      word496 word497 word498 word499 word500 word501 word502 word503 word504
      word505 word506 word507 word508 word509 word510 word511 word512 word513
      word514 word515 word516 word517 word518 word519 word520 word521 word522
      word523 word524 word525 word526 word527 word528 word529 word530 word531
      word532 word533 word534 word535 word536 word537 word538 word539 word540
      word541 word542 word543 word544 word545 word546 word547 word548 word549
      word550 word551 word552 word553 word554 word555 word556 word557 word558
      word559 word560 word561 word562 word563 word564 word565 word566 word567
      word568 word569 word570 word571 word572 word573 word574 word575 word576
      word577 word578 word579 word580 word581 word582 word583 word584 word585
      word586 word587 word588 word589 word590 word591 word592 word593 word594
      word595 word596 word597 word598 word599
  $ COLUMNS=80 xylem log $SCENARIO_ID --full --color always -n 3
  \x1b[33m32512cc7\x1b[0m  \x1b[34mmessage assistant\x1b[0m  \x1b[32m<leaf>\x1b[0m (esc)
  \x1b[2m2026-11-20 17:18:05 (2h ago), depth 20, 445 B\x1b[0m (esc)
  
      echo: after resume
  
  \x1b[33me37e3f3d\x1b[0m  \x1b[32mmessage user\x1b[0m (esc)
  \x1b[2m2026-11-20 17:18:05 (2h ago), depth 19, 103 B\x1b[0m (esc)
  
      after resume
  
  \x1b[33m8db136e6\x1b[0m  \x1b[34mmessage assistant\x1b[0m (esc)
  \x1b[2m2026-11-20 17:18:05 (2h ago), depth 18, 447 B\x1b[0m (esc)
  
      echo: after compaction

A log can be of one kind.

  $ xylem log $SCENARIO_ID --kind custom:readonly
  9  3dc585ab  2026-11-20 17:18:05  custom:readonly  {"enabled":true}
  $ xylem log $SCENARIO_ID --kind message -n 2
  20  32512cc7  2026-11-20 17:18:05  assistant   <leaf> echo: after resume
  19  e37e3f3d  2026-11-20 17:18:05  user        after resume
  $ xylem log $SCENARIO_ID --kind compaction -k custom:readonly --kind "$(printf 'no\033such')"
  16  d8b2463f  2026-11-20 17:18:05  compaction       ## Goal Faux summary #25 ## Progress - summarised 5851 chars -…  6.1 KiB
   9  3dc585ab  2026-11-20 17:18:05  custom:readonly  {"enabled":true}
  xylem: log: no entry of the path is of the kind or role 'no\x1bsuch'
  $ xylem log $SCENARIO_ID --kind readonly
  xylem: log: no entry of the path is of the kind or role 'readonly'; did you mean 'custom:readonly'?

With a limit a log has not seen all of the path, and does not say that a kind is missing.

  $ xylem log $SCENARIO_ID --kind message --kind readonly -n 1
  20  32512cc7  2026-11-20 17:18:05  assistant   <leaf> echo: after resume
  $ xylem log $SCENARIO_ID --kind 'a\b'
  xylem: log: a\b is not a kind: expected 'custom:' and a name, or the name of a host kind with '\' before each ':' and '\'
  [2]

A role names messages: what stands where a line has the role or the kind.

  $ xylem log $SCENARIO_ID --kind user -n 2
  19  e37e3f3d  2026-11-20 17:18:05  user        after resume
  17  4f9ef798  2026-11-20 17:18:05  user        after compaction
  $ xylem tree $SCENARIO_ID --kind toolResult --jsonl
  {"schema":1,"entry":"be4cd5e4","parent":"fdf4cbd2","kind":"message","time":"2026-11-20T17:18:05.669Z","depth":10,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"9516d531","parent":"e4ad638d","kind":"message","time":"2026-11-20T17:18:05.700Z","depth":16,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  $ verify

A kind of the same name counts too. A custom kind is never a role. The role of a redacted entry is not known any more.

  $ fresh
  $ add s kind user
  xylem: append: warning: user is a role: a message has --kind message, and its role in --data
  $ add s role message '{"role":"user"}'
  $ add s other message '{"role":"assistant"}'
  $ add s custom custom:note '{"role":"user"}'
  $ xylem log s --kind user --jsonl
  {"schema":1,"entry":"role","parent":"kind","kind":"message","time":"*","depth":2,"label":null,"payload":{"role":"user"}} (glob)
  {"schema":1,"entry":"kind","parent":null,"kind":"user","time":"*","depth":1,"label":null,"payload":null} (glob)
  $ xylem log s --kind custom:user
  xylem: log: no entry of the path is of the kind 'custom:user'
  $ xylem redact s:role --reason r --yes >/dev/null
  $ xylem log s --kind user --kind assistant --jsonl
  {"schema":1,"entry":"other","parent":"role","kind":"message","time":"*","depth":3,"label":null,"payload":{"role":"assistant"}} (glob)
  {"schema":1,"entry":"kind","parent":null,"kind":"user","time":"*","depth":1,"label":null,"payload":null} (glob)
  $ verify

A log can begin at a time, and end at a time.

  $ sessions
  $ xylem log $SCENARIO_ID --since 2026-11-20T17:18:05.812Z
  20  32512cc7  2026-11-20 17:18:05  assistant   <leaf> echo: after resume
  19  e37e3f3d  2026-11-20 17:18:05  user        after resume
  $ xylem log $SCENARIO_ID --since 1m
  xylem: log: no entry of the path passes the filters
  $ xylem log $SCENARIO_ID --until 2026-11-20T17:18:05.650Z -r
  1  b8ef64c6  2026-11-20 17:18:05  session_info           scenario one
  2  ca6c99db  2026-11-20 17:18:05  model_change           fauxhost/faux-1
  3  d6a8b13d  2026-11-20 17:18:05  thinking_level_change  off
  4  6bc7b764  2026-11-20 17:18:05  system                 You are an expert coding assistant operating inside pi, a codi…  5.6 KiB
  5  15efa3b4  2026-11-20 17:18:05  user                   first question
  6  8d16e680  2026-11-20 17:18:05  assistant              echo: first question
  $ xylem log $SCENARIO_ID --until tomorrow
  xylem: log: 'tomorrow' is not a time: expected an age like 30s, 5m, 2h, 3d, 2w, 1y, a day like today, yesterday, monday, 2026-11-20, or a day and a clock time like 'monday 17:18', 2026-11-20T17:18:05Z (see `xylem log --help`)
  [2]

A log can be reversed.

  $ xylem log $SCENARIO_ID --reverse -n 2
  19  e37e3f3d  2026-11-20 17:18:05  user        after resume
  20  32512cc7  2026-11-20 17:18:05  assistant   <leaf> echo: after resume
  $ xylem log $SCENARIO_ID --reverse -n 2 --jsonl
  {"schema":1,"entry":"e37e3f3d","parent":"8db136e6","kind":"message","time":"2026-11-20T17:18:05.942Z","depth":19,"label":null,"payload":{"message":{"role":"user","content":[{"type":"text","text":"after resume"}],"timestamp":1795195085941}}}
  {"schema":1,"entry":"32512cc7","parent":"e37e3f3d","kind":"message","time":"2026-11-20T17:18:05.944Z","depth":20,"label":null,"payload":{"message":{"role":"assistant","content":[{"type":"text","text":"echo: after resume"}],"api":"openai-completions","provider":"fauxhost","model":"faux-1","usage":{"input":2512,"output":5,"cacheRead":0,"cacheWrite":0,"reasoning":0,"totalTokens":2517,"cost":{"input":0.002512,"output":0.000009999999999999999,"cacheRead":0,"cacheWrite":0,"total":0.002522}},"stopReason":"stop","timestamp":1795195085942,"responseId":"cc-32","rawStopReason":"stop"}}}
  $ verify

Ids leave room where it is narrow.

  $ fresh 19:30
  $ add s 01a1fb3d-3569-7d69-a000-000000000001 message '{"role":"user","content":"hello"}'
  $ COLUMNS=60 xylem log s
  1  01a1fb3d-3569  0s  user        <leaf> hello
  $ COLUMNS=160 xylem log s
  1  01a1fb3d-3569-7d69-a000-000000000001  0s  user        <leaf> hello
  $ verify

Ids that are cut name their entry, in whatever command an id is shown.

  $ fresh 19:30
  $ add s 01a1fb3d-3569-7d69-a000-000000000001 note
  $ add s 01a1fb3d-3569-7d69-a000-000000000002 note
  $ add s 01a1fb3d-3569-7d69-b000-000000000003 note
  $ xylem fork s:01a1fb3d-3569-7d69-b --id fork
  fork
  $ export COLUMNS=80
  $ xylem log s
  3  01a1fb3d-3569-7d69-b  0s  note        <leaf>
  2  01a1fb3d-3569-7d69-a000-000000000002  0s  note
  1  01a1fb3d-3569-7d69-a000-000000000001  0s  note
  $ xylem tree s --all
  s: 3 entries, 1 tip
  ● 01a1fb3d-3569-7d69-a000-000000000001  note
  ● 01a1fb3d-3569-7d69-a000-000000000002  note
  ● 01a1fb3d-3569-7d69-b  note        <leaf>
  $ xylem branches s
  TIP                   AGE  DEPTH  FORKED AT  READONLY          SAYS
  01a1fb3d-3569-7d69-b   0s      3  -          off       <leaf>
  $ indent xylem diff s:@~1 :@
    < s:01a1fb3d-3569-7d69-a000-000000000002  depth 2  0s ago
    > s:01a1fb3d-3569-7d69-b000-000000000003  depth 3  0s ago  <leaf>
    = 01a1fb3d-3569-7d69-a000-000000000002  depth 2  0s ago  shared
    
    < nothing more
    
    > 1 more entry
    > 3  01a1fb3d-3569-7d69-b  0s  note        <leaf>
    
    readonly  = off  the default: nothing decides
    nudge     = none due
    sequence  = none
    todo      = none
    mark      = none
  [1]
  $ xylem tree fork --family
  SESSION   OWN  SHARED  FORKED AT               READONLY  LEAF  NAME
  ○ s         3       -  -                       off         0s  -
  └─● fork    0       3  01a1fb3d-3569-7d69-b    off         0s  -
  $ xylem log s:01a1fb3d-3569-7d69-b --jsonl -n 1
  {"schema":1,"entry":"01a1fb3d-3569-7d69-b000-000000000003","parent":"01a1fb3d-3569-7d69-a000-000000000002","kind":"note","time":"*","depth":3,"label":null,"payload":null} (glob)
  $ verify

Messages are said in a line.

  $ fresh
  $ says() {
  >     printf %s "$2" | xylem append s --create --kind "$1" --data - --id e$((number += 1)) >/dev/null
  >     xylem log s -n 1 | sed 's/^.*  ....-..-.. ..:..:..  //'
  > }
  $ says message '{"role":"user","content":"plain"}'
  user        <leaf> plain
  $ says message '{"message":{"role":"user","content":"wrapped"}}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says message '{"role":"user","content":[]}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says message '{"role":"user","content":[{"type":"image","mimeType":"image/png","data":"AAAAAAAA"}]}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says message '{"role":"user","content":[{"type":"image","data":"AAAA"}]}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says message '{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"yes"}]}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says message '{"role":"assistant","content":[{"type":"thinking","thinking":"hm"}]}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says message '{"role":"assistant","content":[{"type":"text","text":"go"},
  >     {"type":"toolCall","name":"bash","arguments":{"timeout":5,"command":"ls -l\nnow"}}]}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says message '{"role":"assistant","content":[{"type":"toolCall","name":"odd","arguments":{"n":1}}]}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says message '{"role":"assistant","content":[{"type":"toolCall","name":"none","arguments":{}}]}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says message '{"role":"assistant","content":[{"type":"toolCall","name":"list","arguments":[1]}]}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says message '{"role":"assistant","content":[],"stopReason":"error","errorMessage":"no key"}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says message '{"role":"assistant","content":[],"stopReason":"aborted"}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says message '{"role":"toolResult","toolName":"read","content":"x","isError":false}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says message '{"role":"toolResult","toolName":"read","content":"x","isError":true}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says message '{"role":"bashExecution","command":"ls","output":"a\nb","exitCode":0}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says message '{"role":"bashExecution","command":"ls","output":"a","exitCode":2}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says message '{"role":"custom","customType":"hook","content":"c"}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says message '{"role":"branchSummary","summary":"was"}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain

Other kinds are said in a line.

  $ says compaction '{"summary":"short","tokensBefore":5}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says branch_summary '{"summary":"was"}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says model_change '{"provider":"p","modelId":"m"}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says model_change '{"modelId":"m"}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says thinking_level_change '{"thinkingLevel":"high"}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says session_info '{"name":"n"}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says label '{"targetId":"abc","label":"L"}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says label '{"targetId":"abc"}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says custom_message '{"customType":"note","content":"c"}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says custom:x '{"a":[1,2]}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says usage '{"kind":"cache"}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain

What has another shape is data, and is shown as what it is.

  $ says message '{"role":7,"content":"x"}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says message '[1]'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says message 'null'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says message '"text"'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says message '{"role":"user"}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says message '{"role":"user","content":{"a":1}}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says message '{"role":"user","content":[1,null,{"type":3},{"type":"text","text":4}]}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says message '{"role":"user","content":[{"type":"toolCall","name":[],"arguments":1}]}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says message '{"role":"toolResult","toolName":{},"isError":"yes","content":"x"}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says message '{"role":"system","content":"","sections":{"a":1,"b":"words"}}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says message '{"role":"system","content":"","sections":[]}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says message '{"message":3}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says compaction '{"summary":[]}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says label '{"targetId":1,"label":2}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says model_change '{"provider":"p"}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ says custom_message '{"customType":0,"content":"c"}'
  xylem: append: the session s has an entry e1 already
  user        <leaf> plain
  $ xylem log s --full | tail -n 20
  e1  message user  <leaf>
  * (* ago), depth 1, 33 B (glob)
  
      plain
  $ add s n note
  $ xylem log s -n 1 --full
  n  note  <leaf>
  * (* ago), depth 2, 0 B (glob)
  $ verify

Huge and deep payloads are cut.

  $ fresh
  $ printf '{"role":"user","content":"%s"}' "$(head -c 1000000 /dev/zero | tr '\0' x)" |
  >     xylem append s --create --id huge --kind message --data -
  huge
  $ xylem log s
  1  huge  *  user        <leaf> xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx*  976.6 KiB* (glob)
  $ xylem log s --full | wc -c
  1000082
  $ printf '{"role":"user","content":%s%s}' "$(head -c 500 /dev/zero | tr '\0' '[')" \
  >     "$(head -c 500 /dev/zero | tr '\0' ']')" | xylem append s --id deep --kind message --data -
  deep
  $ xylem log s --full -n 1 | tail -n 1 | cut -c 1-40
      [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
  $ xylem log s -n 1
  2  deep  *  user        <leaf> [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[* (glob)
  $ verify

A full log keeps lines, and escapes the rest.

  $ fresh
  $ add s e1 message '{"role":"user","content":"one\r\n\ttab\n\n  two \u001b[31m\u202e\nthree\n\n"}'
  $ xylem log s --full
  e1  message user  <leaf>
  * (* ago), depth 1, 77 B (glob)
  
      one
          tab
  
        two \x1b[31m\u202e
      three
  $ add s e2 message '{"role":"user","content":"- an item that is too long for a line of forty cells"}'
  $ XYLEM_NOW=2026-11-20T19:30:00Z COLUMNS=40 xylem log s --full -n 1
  e2  message user  <leaf>
  * (0s ago), depth 2, (glob)
    80 B
  
      - an item that is too long for a
        line of forty cells
  $ verify
