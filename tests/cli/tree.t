xylem tree: drawings, and what is folded in them.

  $ . "$TESTDIR/setup.sh"
  $ BUSHY_ID=01a1fa04-8990-7035-be02-03c708ea6479

Trees are drawn.

  $ scenario
  $ xylem tree $SCENARIO_ID
  01a1f9f7-22cb-72e7-96e0-96825857127f: scenario one, 31 entries, 2 tips
  ● b8ef64c6  session_info     scenario one
  ● ca6c99db  model_change     fauxhost/faux-1
  ● d6a8b13d  thinking_level_change  off
  ● 6bc7b764  system           You are an expert coding assistant operating inside pi, a coding agent …
  ● 15efa3b4  user             first question
  ● 8d16e680  assistant        echo: first question
  ├─○ 88fe2aff  custom:readonly  {"enabled":true}
  │ ○ 26de9cb1  user             !tool write {"path":"ro.txt","content":"nope"}
  │ ○ fdf4cbd2  assistant        write(ro.txt)
  │ ○ be4cd5e4  toolResult       write error: Readonly mode: write/edit disabled. Use /readonly to disab…
  │ ○ 6f7578e6  assistant        [after-block] done: Readonly mode: write/edit disabled. Use /readonly to disable
  │ ○ c3ce1abe  label            after-block on 6f7578e6
  │ ○ d134ab3f  custom:readonly  {"enabled":false}
  │ ○ 7c15199c  user             !tool write {"path":"ok.txt","content":"yes"}
  │ ○ e4ad638d  assistant        write(ok.txt)
  │ ○ 9516d531  toolResult       write: Successfully wrote to ok.txt
  │ ○ 6fd8ed9e  assistant        done: Successfully wrote to ok.txt
  ● d3300e75  user             branch B question
  ● 5b8612f6  assistant        echo: branch B question
  ● 3dc585ab  custom:readonly  {"enabled":true}
  … 6 entries
  ● d8b2463f  compaction       ## Goal Faux summary #25 ## Progress - summarised 5851 chars --- **Turn…
  ● 4f9ef798  user             after compaction
  ● 8db136e6  assistant        echo: after compaction
  ● e37e3f3d  user             after resume
  ● 32512cc7  assistant        <leaf> echo: after resume
  $ xylem tree $SCENARIO_ID --all
  01a1f9f7-22cb-72e7-96e0-96825857127f: scenario one, 31 entries, 2 tips
  ● b8ef64c6  session_info     scenario one
  ● ca6c99db  model_change     fauxhost/faux-1
  ● d6a8b13d  thinking_level_change  off
  ● 6bc7b764  system           You are an expert coding assistant operating inside pi, a coding agent …
  ● 15efa3b4  user             first question
  ● 8d16e680  assistant        echo: first question
  ├─○ 88fe2aff  custom:readonly  {"enabled":true}
  │ ○ 26de9cb1  user             !tool write {"path":"ro.txt","content":"nope"}
  │ ○ fdf4cbd2  assistant        write(ro.txt)
  │ ○ be4cd5e4  toolResult       write error: Readonly mode: write/edit disabled. Use /readonly to disab…
  │ ○ 6f7578e6  assistant        [after-block] done: Readonly mode: write/edit disabled. Use /readonly to disable
  │ ○ c3ce1abe  label            after-block on 6f7578e6
  │ ○ d134ab3f  custom:readonly  {"enabled":false}
  │ ○ 7c15199c  user             !tool write {"path":"ok.txt","content":"yes"}
  │ ○ e4ad638d  assistant        write(ok.txt)
  │ ○ 9516d531  toolResult       write: Successfully wrote to ok.txt
  │ ○ 6fd8ed9e  assistant        done: Successfully wrote to ok.txt
  ● d3300e75  user             branch B question
  ● 5b8612f6  assistant        echo: branch B question
  ● 3dc585ab  custom:readonly  {"enabled":true}
  ● d3fe142d  user             branch B second
  ● 54d08232  assistant        echo: branch B second
  ● 7c1eb7ea  user             !big 600
  ● 7e89d41d  assistant        word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 word…
  ● b0bc11ca  user             !big 500
  ● 63ff5e92  assistant        word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 word…
  ● d8b2463f  compaction       ## Goal Faux summary #25 ## Progress - summarised 5851 chars --- **Turn…
  ● 4f9ef798  user             after compaction
  ● 8db136e6  assistant        echo: after compaction
  ● e37e3f3d  user             after resume
  ● 32512cc7  assistant        <leaf> echo: after resume
  $ xylem tree $SCENARIO_ID --color always
  \x1b[33m01a1f9f7-22cb-72e7-96e0-96825857127f\x1b[0m: \x1b[1mscenario one\x1b[0m, 31 entries, 2 tips (esc)
  \x1b[32m●\x1b[0m \x1b[33mb8ef64c6\x1b[0m  \x1b[36msession_info\x1b[0m     scenario one (esc)
  \x1b[32m●\x1b[0m \x1b[33mca6c99db\x1b[0m  \x1b[36mmodel_change\x1b[0m     fauxhost/faux-1 (esc)
  \x1b[32m●\x1b[0m \x1b[33md6a8b13d\x1b[0m  \x1b[36mthinking_level_change\x1b[0m  off (esc)
  \x1b[32m●\x1b[0m \x1b[33m6bc7b764\x1b[0m  system           You are an expert coding assistant operating inside pi, a coding agent … (esc)
  \x1b[32m●\x1b[0m \x1b[33m15efa3b4\x1b[0m  \x1b[32muser\x1b[0m             first question (esc)
  \x1b[32m●\x1b[0m \x1b[33m8d16e680\x1b[0m  \x1b[34massistant\x1b[0m        echo: first question (esc)
  \x1b[2m├─\x1b[0m\x1b[2m○\x1b[0m \x1b[33m88fe2aff\x1b[0m  \x1b[36mcustom:readonly\x1b[0m  {"enabled":true} (esc)
  \x1b[2m│ \x1b[0m\x1b[2m○\x1b[0m \x1b[33m26de9cb1\x1b[0m  \x1b[32muser\x1b[0m             !tool write {"path":"ro.txt","content":"nope"} (esc)
  \x1b[2m│ \x1b[0m\x1b[2m○\x1b[0m \x1b[33mfdf4cbd2\x1b[0m  \x1b[34massistant\x1b[0m        \x1b[36mwrite(ro.txt)\x1b[0m (esc)
  \x1b[2m│ \x1b[0m\x1b[2m○\x1b[0m \x1b[33mbe4cd5e4\x1b[0m  \x1b[31mtoolResult\x1b[0m       \x1b[31mwrite error:\x1b[0m Readonly mode: write/edit disabled. Use /readonly to disab… (esc)
  \x1b[2m│ \x1b[0m\x1b[2m○\x1b[0m \x1b[33m6f7578e6\x1b[0m  \x1b[34massistant\x1b[0m        \x1b[35m[after-block] \x1b[0mdone: Readonly mode: write/edit disabled. Use /readonly to disable (esc)
  \x1b[2m│ \x1b[0m\x1b[2m○\x1b[0m \x1b[33mc3ce1abe\x1b[0m  \x1b[36mlabel\x1b[0m            after-block on 6f7578e6 (esc)
  \x1b[2m│ \x1b[0m\x1b[2m○\x1b[0m \x1b[33md134ab3f\x1b[0m  \x1b[36mcustom:readonly\x1b[0m  {"enabled":false} (esc)
  \x1b[2m│ \x1b[0m\x1b[2m○\x1b[0m \x1b[33m7c15199c\x1b[0m  \x1b[32muser\x1b[0m             !tool write {"path":"ok.txt","content":"yes"} (esc)
  \x1b[2m│ \x1b[0m\x1b[2m○\x1b[0m \x1b[33me4ad638d\x1b[0m  \x1b[34massistant\x1b[0m        \x1b[36mwrite(ok.txt)\x1b[0m (esc)
  \x1b[2m│ \x1b[0m\x1b[2m○\x1b[0m \x1b[33m9516d531\x1b[0m  toolResult       write: Successfully wrote to ok.txt (esc)
  \x1b[2m│ \x1b[0m\x1b[2m○\x1b[0m \x1b[33m6fd8ed9e\x1b[0m  \x1b[34massistant\x1b[0m        done: Successfully wrote to ok.txt (esc)
  \x1b[32m●\x1b[0m \x1b[33md3300e75\x1b[0m  \x1b[32muser\x1b[0m             branch B question (esc)
  \x1b[32m●\x1b[0m \x1b[33m5b8612f6\x1b[0m  \x1b[34massistant\x1b[0m        echo: branch B question (esc)
  \x1b[32m●\x1b[0m \x1b[33m3dc585ab\x1b[0m  \x1b[36mcustom:readonly\x1b[0m  {"enabled":true} (esc)
  \x1b[2m… 6 entries\x1b[0m (esc)
  \x1b[32m●\x1b[0m \x1b[33md8b2463f\x1b[0m  \x1b[36mcompaction\x1b[0m       ## Goal Faux summary #25 ## Progress - summarised 5851 chars --- **Turn… (esc)
  \x1b[32m●\x1b[0m \x1b[33m4f9ef798\x1b[0m  \x1b[32muser\x1b[0m             after compaction (esc)
  \x1b[32m●\x1b[0m \x1b[33m8db136e6\x1b[0m  \x1b[34massistant\x1b[0m        echo: after compaction (esc)
  \x1b[32m●\x1b[0m \x1b[33me37e3f3d\x1b[0m  \x1b[32muser\x1b[0m             after resume (esc)
  \x1b[32m●\x1b[0m \x1b[33m32512cc7\x1b[0m  \x1b[34massistant\x1b[0m        \x1b[32m<leaf> \x1b[0mecho: after resume (esc)
  $ xylem tree $SCENARIO_ID --jsonl
  {"schema":1,"entry":"b8ef64c6","parent":null,"kind":"session_info","time":"2026-11-20T17:18:05.516Z","depth":1,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"ca6c99db","parent":"b8ef64c6","kind":"model_change","time":"2026-11-20T17:18:05.573Z","depth":2,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"d6a8b13d","parent":"ca6c99db","kind":"thinking_level_change","time":"2026-11-20T17:18:05.573Z","depth":3,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"6bc7b764","parent":"d6a8b13d","kind":"message","time":"2026-11-20T17:18:05.607Z","depth":4,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"15efa3b4","parent":"6bc7b764","kind":"message","time":"2026-11-20T17:18:05.608Z","depth":5,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"8d16e680","parent":"15efa3b4","kind":"message","time":"2026-11-20T17:18:05.650Z","depth":6,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"88fe2aff","parent":"8d16e680","kind":"custom:readonly","time":"2026-11-20T17:18:05.655Z","depth":7,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"26de9cb1","parent":"88fe2aff","kind":"message","time":"2026-11-20T17:18:05.658Z","depth":8,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"fdf4cbd2","parent":"26de9cb1","kind":"message","time":"2026-11-20T17:18:05.668Z","depth":9,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"be4cd5e4","parent":"fdf4cbd2","kind":"message","time":"2026-11-20T17:18:05.669Z","depth":10,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"6f7578e6","parent":"be4cd5e4","kind":"message","time":"2026-11-20T17:18:05.684Z","depth":11,"label":"after-block","is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"c3ce1abe","parent":"6f7578e6","kind":"label","time":"2026-11-20T17:18:05.686Z","depth":12,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"d134ab3f","parent":"c3ce1abe","kind":"custom:readonly","time":"2026-11-20T17:18:05.686Z","depth":13,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"7c15199c","parent":"d134ab3f","kind":"message","time":"2026-11-20T17:18:05.688Z","depth":14,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"e4ad638d","parent":"7c15199c","kind":"message","time":"2026-11-20T17:18:05.695Z","depth":15,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"9516d531","parent":"e4ad638d","kind":"message","time":"2026-11-20T17:18:05.700Z","depth":16,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"6fd8ed9e","parent":"9516d531","kind":"message","time":"2026-11-20T17:18:05.715Z","depth":17,"label":null,"is_leaf":false,"is_base":false,"is_tip":true,"unanswered_count":0}
  {"schema":1,"entry":"d3300e75","parent":"8d16e680","kind":"message","time":"2026-11-20T17:18:05.723Z","depth":7,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"5b8612f6","parent":"d3300e75","kind":"message","time":"2026-11-20T17:18:05.728Z","depth":8,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"3dc585ab","parent":"5b8612f6","kind":"custom:readonly","time":"2026-11-20T17:18:05.729Z","depth":9,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"d3fe142d","parent":"3dc585ab","kind":"message","time":"2026-11-20T17:18:05.733Z","depth":10,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"54d08232","parent":"d3fe142d","kind":"message","time":"2026-11-20T17:18:05.740Z","depth":11,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"7c1eb7ea","parent":"54d08232","kind":"message","time":"2026-11-20T17:18:05.741Z","depth":12,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"7e89d41d","parent":"7c1eb7ea","kind":"message","time":"2026-11-20T17:18:05.757Z","depth":13,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"b0bc11ca","parent":"7e89d41d","kind":"message","time":"2026-11-20T17:18:05.765Z","depth":14,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"63ff5e92","parent":"b0bc11ca","kind":"message","time":"2026-11-20T17:18:05.791Z","depth":15,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"d8b2463f","parent":"63ff5e92","kind":"compaction","time":"2026-11-20T17:18:05.804Z","depth":16,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"4f9ef798","parent":"d8b2463f","kind":"message","time":"2026-11-20T17:18:05.806Z","depth":17,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"8db136e6","parent":"4f9ef798","kind":"message","time":"2026-11-20T17:18:05.809Z","depth":18,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"e37e3f3d","parent":"8db136e6","kind":"message","time":"2026-11-20T17:18:05.942Z","depth":19,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"32512cc7","parent":"e37e3f3d","kind":"message","time":"2026-11-20T17:18:05.944Z","depth":20,"label":null,"is_leaf":true,"is_base":false,"is_tip":true,"unanswered_count":0}
  $ COLUMNS=60 xylem tree $SCENARIO_ID
  01a1f9f7-22cb-72e7-96e0-96825857127f: 31 entries, 2 tips
  ● b8ef64c6  session_info     scenario one
  ● ca6c99db  model_change     fauxhost/faux-1
  ● d6a8b13d  thinking_level_change  off
  ● 6bc7b764  system           You are an expert coding assis…
  ● 15efa3b4  user             first question
  ● 8d16e680  assistant        echo: first question
  ├─○ 88fe2aff  custom:readonly  {"enabled":true}
  │ ○ 26de9cb1  user             !tool write {"path":"ro.txt"…
  │ ○ fdf4cbd2  assistant        write(ro.txt)
  │ ○ be4cd5e4  toolResult       write error: Readonly mode: …
  │ ○ 6f7578e6  assistant        [after-block] done: Readonly…
  │ ○ c3ce1abe  label            after-block on 6f7578e6
  │ ○ d134ab3f  custom:readonly  {"enabled":false}
  │ ○ 7c15199c  user             !tool write {"path":"ok.txt"…
  │ ○ e4ad638d  assistant        write(ok.txt)
  │ ○ 9516d531  toolResult       write: Successfully wrote to…
  │ ○ 6fd8ed9e  assistant        done: Successfully wrote to …
  ● d3300e75  user             branch B question
  ● 5b8612f6  assistant        echo: branch B question
  ● 3dc585ab  custom:readonly  {"enabled":true}
  … 6 entries
  ● d8b2463f  compaction       ## Goal Faux summary #25 ## Pr…
  ● 4f9ef798  user             after compaction
  ● 8db136e6  assistant        echo: after compaction
  ● e37e3f3d  user             after resume
  ● 32512cc7  assistant        <leaf> echo: after resume
  $ COLUMNS=80 xylem tree $SCENARIO_ID
  01a1f9f7-22cb-72e7-96e0-96825857127f: scenario one, 31 entries, 2 tips
  ● b8ef64c6  session_info     scenario one
  ● ca6c99db  model_change     fauxhost/faux-1
  ● d6a8b13d  thinking_level_change  off
  ● 6bc7b764  system           You are an expert coding assistant operating insid…
  ● 15efa3b4  user             first question
  ● 8d16e680  assistant        echo: first question
  ├─○ 88fe2aff  custom:readonly  {"enabled":true}
  │ ○ 26de9cb1  user             !tool write {"path":"ro.txt","content":"nope"}
  │ ○ fdf4cbd2  assistant        write(ro.txt)
  │ ○ be4cd5e4  toolResult       write error: Readonly mode: write/edit disabled.…
  │ ○ 6f7578e6  assistant        [after-block] done: Readonly mode: write/edit di…
  │ ○ c3ce1abe  label            after-block on 6f7578e6
  │ ○ d134ab3f  custom:readonly  {"enabled":false}
  │ ○ 7c15199c  user             !tool write {"path":"ok.txt","content":"yes"}
  │ ○ e4ad638d  assistant        write(ok.txt)
  │ ○ 9516d531  toolResult       write: Successfully wrote to ok.txt
  │ ○ 6fd8ed9e  assistant        done: Successfully wrote to ok.txt
  ● d3300e75  user             branch B question
  ● 5b8612f6  assistant        echo: branch B question
  ● 3dc585ab  custom:readonly  {"enabled":true}
  … 6 entries
  ● d8b2463f  compaction       ## Goal Faux summary #25 ## Progress - summarised …
  ● 4f9ef798  user             after compaction
  ● 8db136e6  assistant        echo: after compaction
  ● e37e3f3d  user             after resume
  ● 32512cc7  assistant        <leaf> echo: after resume
  $ COLUMNS=160 xylem tree $SCENARIO_ID
  01a1f9f7-22cb-72e7-96e0-96825857127f: scenario one, 31 entries, 2 tips
  ● b8ef64c6  session_info     scenario one
  ● ca6c99db  model_change     fauxhost/faux-1
  ● d6a8b13d  thinking_level_change  off
  ● 6bc7b764  system           You are an expert coding assistant operating inside pi, a coding agent harness. You help users by reading files, executing command…
  ● 15efa3b4  user             first question
  ● 8d16e680  assistant        echo: first question
  ├─○ 88fe2aff  custom:readonly  {"enabled":true}
  │ ○ 26de9cb1  user             !tool write {"path":"ro.txt","content":"nope"}
  │ ○ fdf4cbd2  assistant        write(ro.txt)
  │ ○ be4cd5e4  toolResult       write error: Readonly mode: write/edit disabled. Use /readonly to disable.
  │ ○ 6f7578e6  assistant        [after-block] done: Readonly mode: write/edit disabled. Use /readonly to disable
  │ ○ c3ce1abe  label            after-block on 6f7578e6
  │ ○ d134ab3f  custom:readonly  {"enabled":false}
  │ ○ 7c15199c  user             !tool write {"path":"ok.txt","content":"yes"}
  │ ○ e4ad638d  assistant        write(ok.txt)
  │ ○ 9516d531  toolResult       write: Successfully wrote to ok.txt
  │ ○ 6fd8ed9e  assistant        done: Successfully wrote to ok.txt
  ● d3300e75  user             branch B question
  ● 5b8612f6  assistant        echo: branch B question
  ● 3dc585ab  custom:readonly  {"enabled":true}
  … 6 entries
  ● d8b2463f  compaction       ## Goal Faux summary #25 ## Progress - summarised 5851 chars --- **Turn Context (split turn):** ## Goal Faux summary #26 ## Progre…
  ● 4f9ef798  user             after compaction
  ● 8db136e6  assistant        echo: after compaction
  ● e37e3f3d  user             after resume
  ● 32512cc7  assistant        <leaf> echo: after resume
  $ LC_ALL=C xylem tree $SCENARIO_ID
  01a1f9f7-22cb-72e7-96e0-96825857127f: scenario one, 31 entries, 2 tips
  * b8ef64c6  session_info     scenario one
  * ca6c99db  model_change     fauxhost/faux-1
  * d6a8b13d  thinking_level_change  off
  * 6bc7b764  system           You are an expert coding assistant operating inside pi, a coding agent ~
  * 15efa3b4  user             first question
  * 8d16e680  assistant        echo: first question
  |-o 88fe2aff  custom:readonly  {"enabled":true}
  | o 26de9cb1  user             !tool write {"path":"ro.txt","content":"nope"}
  | o fdf4cbd2  assistant        write(ro.txt)
  | o be4cd5e4  toolResult       write error: Readonly mode: write/edit disabled. Use /readonly to disab~
  | o 6f7578e6  assistant        [after-block] done: Readonly mode: write/edit disabled. Use /readonly to disable
  | o c3ce1abe  label            after-block on 6f7578e6
  | o d134ab3f  custom:readonly  {"enabled":false}
  | o 7c15199c  user             !tool write {"path":"ok.txt","content":"yes"}
  | o e4ad638d  assistant        write(ok.txt)
  | o 9516d531  toolResult       write: Successfully wrote to ok.txt
  | o 6fd8ed9e  assistant        done: Successfully wrote to ok.txt
  * d3300e75  user             branch B question
  * 5b8612f6  assistant        echo: branch B question
  * 3dc585ab  custom:readonly  {"enabled":true}
  ... 6 entries
  * d8b2463f  compaction       ## Goal Faux summary #25 ## Progress - summarised 5851 chars --- **Turn~
  * 4f9ef798  user             after compaction
  * 8db136e6  assistant        echo: after compaction
  * e37e3f3d  user             after resume
  * 32512cc7  assistant        <leaf> echo: after resume

Kinds are drawn, and the rest is folded.

  $ xylem tree $SCENARIO_ID --kind custom:readonly
  01a1f9f7-22cb-72e7-96e0-96825857127f: scenario one, 31 entries, 2 tips
  ● b8ef64c6  session_info     scenario one
  … 4 entries
  ● 8d16e680  assistant        echo: first question
  ├─○ 88fe2aff  custom:readonly  {"enabled":true}
  │ … 5 entries (1 label)
  │ ○ d134ab3f  custom:readonly  {"enabled":false}
  │ … 3 entries
  │ ○ 6fd8ed9e  assistant        done: Successfully wrote to ok.txt
  … 2 entries
  ● 3dc585ab  custom:readonly  {"enabled":true}
  … 10 entries (1 compaction)
  ● 32512cc7  assistant        <leaf> echo: after resume
  $ xylem tree $SCENARIO_ID -k custom:readonly -k compaction --jsonl
  {"schema":1,"entry":"88fe2aff","parent":"8d16e680","kind":"custom:readonly","time":"2026-11-20T17:18:05.655Z","depth":7,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"d134ab3f","parent":"c3ce1abe","kind":"custom:readonly","time":"2026-11-20T17:18:05.686Z","depth":13,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"3dc585ab","parent":"5b8612f6","kind":"custom:readonly","time":"2026-11-20T17:18:05.729Z","depth":9,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"d8b2463f","parent":"63ff5e92","kind":"compaction","time":"2026-11-20T17:18:05.804Z","depth":16,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  $ xylem tree $SCENARIO_ID -k compaction
  01a1f9f7-22cb-72e7-96e0-96825857127f: scenario one, 31 entries, 2 tips
  ● b8ef64c6  session_info  scenario one
  … 4 entries
  ● 8d16e680  assistant     echo: first question
  ├─… 10 entries (1 label, 2 state changes)
  │ ○ 6fd8ed9e  assistant     done: Successfully wrote to ok.txt
  … 9 entries (1 state change)
  ● d8b2463f  compaction    ## Goal Faux summary #25 ## Progress - summarised 5851 chars --- **Turn…
  … 3 entries
  ● 32512cc7  assistant     <leaf> echo: after resume

A kind that no entry has is told, and no error. An entry that is too old is one of its kind.

  $ xylem tree $SCENARIO_ID --kind compaction --kind "$(printf 'no\033such')" >/dev/null
  xylem: tree: no entry of the session is of the kind or role 'no\x1bsuch'
  $ xylem tree $SCENARIO_ID --kind readonly --jsonl
  xylem: tree: no entry of the session is of the kind or role 'readonly'; did you mean 'custom:readonly'?
  $ xylem tree $SCENARIO_ID --kind message --since 1s --json
  {"schema":1,"entries":[]}

What is of another time is folded. The shape is as old as the rest.

  $ xylem tree $SCENARIO_ID --since 2026-11-20T17:18:05.770Z
  01a1f9f7-22cb-72e7-96e0-96825857127f: scenario one, 31 entries, 2 tips
  ● b8ef64c6  session_info  scenario one
  … 24 entries, 1 tip (1 label, 3 state changes)
  ● 63ff5e92  assistant     word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 word…
  ● d8b2463f  compaction    ## Goal Faux summary #25 ## Progress - summarised 5851 chars --- **Turn…
  ● 4f9ef798  user          after compaction
  ● 8db136e6  assistant     echo: after compaction
  ● e37e3f3d  user          after resume
  ● 32512cc7  assistant     <leaf> echo: after resume
  $ xylem tree $SCENARIO_ID --since 2026-11-20T17:18:05.940Z --jsonl
  {"schema":1,"entry":"e37e3f3d","parent":"8db136e6","kind":"message","time":"2026-11-20T17:18:05.942Z","depth":19,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"32512cc7","parent":"e37e3f3d","kind":"message","time":"2026-11-20T17:18:05.944Z","depth":20,"label":null,"is_leaf":true,"is_base":false,"is_tip":true,"unanswered_count":0}
  $ xylem tree $SCENARIO_ID --until 2026-11-20T17:18:05.770Z
  01a1f9f7-22cb-72e7-96e0-96825857127f: scenario one, 31 entries, 2 tips
  ● b8ef64c6  session_info     scenario one
  ● ca6c99db  model_change     fauxhost/faux-1
  ● d6a8b13d  thinking_level_change  off
  ● 6bc7b764  system           You are an expert coding assistant operating inside pi, a coding agent …
  ● 15efa3b4  user             first question
  ● 8d16e680  assistant        echo: first question
  ├─○ 88fe2aff  custom:readonly  {"enabled":true}
  │ ○ 26de9cb1  user             !tool write {"path":"ro.txt","content":"nope"}
  │ ○ fdf4cbd2  assistant        write(ro.txt)
  │ ○ be4cd5e4  toolResult       write error: Readonly mode: write/edit disabled. Use /readonly to disab…
  │ ○ 6f7578e6  assistant        [after-block] done: Readonly mode: write/edit disabled. Use /readonly to disable
  │ ○ c3ce1abe  label            after-block on 6f7578e6
  │ ○ d134ab3f  custom:readonly  {"enabled":false}
  │ ○ 7c15199c  user             !tool write {"path":"ok.txt","content":"yes"}
  │ ○ e4ad638d  assistant        write(ok.txt)
  │ ○ 9516d531  toolResult       write: Successfully wrote to ok.txt
  │ ○ 6fd8ed9e  assistant        done: Successfully wrote to ok.txt
  ● d3300e75  user             branch B question
  ● 5b8612f6  assistant        echo: branch B question
  ● 3dc585ab  custom:readonly  {"enabled":true}
  ● d3fe142d  user             branch B second
  ● 54d08232  assistant        echo: branch B second
  ● 7c1eb7ea  user             !big 600
  ● 7e89d41d  assistant        word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 word…
  ● b0bc11ca  user             !big 500
  … 5 entries (1 compaction)
  ● 32512cc7  assistant        <leaf> echo: after resume
  $ xylem tree $SCENARIO_ID --until 2026-11-20T17:18:05.600Z --jsonl
  {"schema":1,"entry":"b8ef64c6","parent":null,"kind":"session_info","time":"2026-11-20T17:18:05.516Z","depth":1,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"ca6c99db","parent":"b8ef64c6","kind":"model_change","time":"2026-11-20T17:18:05.573Z","depth":2,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  {"schema":1,"entry":"d6a8b13d","parent":"ca6c99db","kind":"thinking_level_change","time":"2026-11-20T17:18:05.573Z","depth":3,"label":null,"is_leaf":false,"is_base":false,"is_tip":false,"unanswered_count":0}
  $ xylem tree $SCENARIO_ID --since 1h
  01a1f9f7-22cb-72e7-96e0-96825857127f: scenario one, 31 entries, 2 tips
  ● b8ef64c6  session_info  scenario one
  … 29 entries, 1 tip (1 label, 1 compaction, 3 state changes)
  ● 32512cc7  assistant     <leaf> echo: after resume
  $ xylem tree $SCENARIO_ID --since 1h --kind message
  01a1f9f7-22cb-72e7-96e0-96825857127f: scenario one, 31 entries, 2 tips
  ● b8ef64c6  session_info  scenario one
  … 29 entries, 1 tip (1 label, 1 compaction, 3 state changes)
  ● 32512cc7  assistant     <leaf> echo: after resume
  $ verify

A staircase of forks fits the terminal. The newest goes on straight down, so each older one moves further to the right.

  $ fresh 19:30
  $ add s r1 note
  $ xylem append s --kind note --id r2 --parent none
  r2
  $ for number in $(seq -w 0 39); do add s left$number note; done
  $ for number in $(seq 39 -1 1); do
  >     xylem append s --kind note --id right$(printf %02d $number) --parent left$(printf %02d $((number - 1))) >/dev/null
  > done
  $ xylem navigate s:r1
  leaf: right01 -> r1
  $ COLUMNS=60 xylem tree s
  s: 81 entries, 41 tips; 41 drawn
  ● r1       note        <leaf>
  ○ r2       note
  ○ left00   note
  ├─○ left01   note
  │ ├─○ left02   note
  │ │ ├─○ left03   note
  │ │ │ ├─○ left04   note
  │ │ │ │ ├─○ left05   note
  │ │ │ │ │ ├─○ left06   note
  │ │ │ │ │ │ ├─○ left07   note
  │ │ │ │ │ │ │ ├─○ left08   note
  │ │ │ │ │ │ │ │ ├─○ left09   note
  │ │ │ │ │ │ │ │ │ ├─○ left10   note
  (1) │ │ │ │ │ │ │ │ │ ├─○ left11   note
  (2) │ │ │ │ │ │ │ │ │ ├─○ left12   note
  (3) │ │ │ │ │ │ │ │ │ ├─○ left13   note
  (4) │ │ │ │ │ │ │ │ │ ├─○ left14   note
  (5) │ │ │ │ │ │ │ │ │ ├─○ left15   note
  (6) │ │ │ │ │ │ │ │ │ ├─○ left16   note
  (7) │ │ │ │ │ │ │ │ │ ├─○ left17   note
  (8) │ │ │ │ │ │ │ │ │ ├─○ left18   note
  (9) │ │ │ │ │ │ │ │ │ ├─… 40 entries, 20 tips
  (9) │ │ │ │ │ │ │ │ │ │ ○ right20  note
  (8) │ │ │ │ │ │ │ │ │ │ ○ right19  note
  (7) │ │ │ │ │ │ │ │ │ │ ○ right18  note
  (6) │ │ │ │ │ │ │ │ │ │ ○ right17  note
  (5) │ │ │ │ │ │ │ │ │ │ ○ right16  note
  (4) │ │ │ │ │ │ │ │ │ │ ○ right15  note
  (3) │ │ │ │ │ │ │ │ │ │ ○ right14  note
  (2) │ │ │ │ │ │ │ │ │ │ ○ right13  note
  (1) │ │ │ │ │ │ │ │ │ │ ○ right12  note
  │ │ │ │ │ │ │ │ │ │ ○ right11  note
  │ │ │ │ │ │ │ │ │ ○ right10  note
  │ │ │ │ │ │ │ │ ○ right09  note
  │ │ │ │ │ │ │ ○ right08  note
  │ │ │ │ │ │ ○ right07  note
  │ │ │ │ │ ○ right06  note
  │ │ │ │ ○ right05  note
  │ │ │ ○ right04  note
  │ │ ○ right03  note
  │ ○ right02  note
  ○ right01  note
  $ COLUMNS=60 xylem tree s --all
  s: 81 entries, 41 tips
  ● r1       note        <leaf>
  ○ r2       note
  ○ left00   note
  ├─○ left01   note
  │ ├─○ left02   note
  │ │ ├─○ left03   note
  │ │ │ ├─○ left04   note
  │ │ │ │ ├─○ left05   note
  │ │ │ │ │ ├─○ left06   note
  │ │ │ │ │ │ ├─○ left07   note
  │ │ │ │ │ │ │ ├─○ left08   note
  │ │ │ │ │ │ │ │ ├─○ left09   note
  │ │ │ │ │ │ │ │ │ ├─○ left10   note
  (1) │ │ │ │ │ │ │ │ │ ├─○ left11   note
  (2) │ │ │ │ │ │ │ │ │ ├─○ left12   note
  (3) │ │ │ │ │ │ │ │ │ ├─○ left13   note
  (4) │ │ │ │ │ │ │ │ │ ├─○ left14   note
  (5) │ │ │ │ │ │ │ │ │ ├─○ left15   note
  (6) │ │ │ │ │ │ │ │ │ ├─○ left16   note
  (7) │ │ │ │ │ │ │ │ │ ├─○ left17   note
  (8) │ │ │ │ │ │ │ │ │ ├─○ left18   note
  (9) │ │ │ │ │ │ │ │ │ ├─○ left19   note
  (10) │ │ │ │ │ │ │ │ │ ├─○ left20   note
  (11) │ │ │ │ │ │ │ │ │ ├─○ left21   note
  (12) │ │ │ │ │ │ │ │ │ ├─○ left22   note
  (13) │ │ │ │ │ │ │ │ │ ├─○ left23   note
  (14) │ │ │ │ │ │ │ │ │ ├─○ left24   note
  (15) │ │ │ │ │ │ │ │ │ ├─○ left25   note
  (16) │ │ │ │ │ │ │ │ │ ├─○ left26   note
  (17) │ │ │ │ │ │ │ │ │ ├─○ left27   note
  (18) │ │ │ │ │ │ │ │ │ ├─○ left28   note
  (19) │ │ │ │ │ │ │ │ │ ├─○ left29   note
  (20) │ │ │ │ │ │ │ │ │ ├─○ left30   note
  (21) │ │ │ │ │ │ │ │ │ ├─○ left31   note
  (22) │ │ │ │ │ │ │ │ │ ├─○ left32   note
  (23) │ │ │ │ │ │ │ │ │ ├─○ left33   note
  (24) │ │ │ │ │ │ │ │ │ ├─○ left34   note
  (25) │ │ │ │ │ │ │ │ │ ├─○ left35   note
  (26) │ │ │ │ │ │ │ │ │ ├─○ left36   note
  (27) │ │ │ │ │ │ │ │ │ ├─○ left37   note
  (28) │ │ │ │ │ │ │ │ │ ├─○ left38   note
  (29) │ │ │ │ │ │ │ │ │ ├─○ left39   note
  (28) │ │ │ │ │ │ │ │ │ │ ○ right39  note
  (27) │ │ │ │ │ │ │ │ │ │ ○ right38  note
  (26) │ │ │ │ │ │ │ │ │ │ ○ right37  note
  (25) │ │ │ │ │ │ │ │ │ │ ○ right36  note
  (24) │ │ │ │ │ │ │ │ │ │ ○ right35  note
  (23) │ │ │ │ │ │ │ │ │ │ ○ right34  note
  (22) │ │ │ │ │ │ │ │ │ │ ○ right33  note
  (21) │ │ │ │ │ │ │ │ │ │ ○ right32  note
  (20) │ │ │ │ │ │ │ │ │ │ ○ right31  note
  (19) │ │ │ │ │ │ │ │ │ │ ○ right30  note
  (18) │ │ │ │ │ │ │ │ │ │ ○ right29  note
  (17) │ │ │ │ │ │ │ │ │ │ ○ right28  note
  (16) │ │ │ │ │ │ │ │ │ │ ○ right27  note
  (15) │ │ │ │ │ │ │ │ │ │ ○ right26  note
  (14) │ │ │ │ │ │ │ │ │ │ ○ right25  note
  (13) │ │ │ │ │ │ │ │ │ │ ○ right24  note
  (12) │ │ │ │ │ │ │ │ │ │ ○ right23  note
  (11) │ │ │ │ │ │ │ │ │ │ ○ right22  note
  (10) │ │ │ │ │ │ │ │ │ │ ○ right21  note
  (9) │ │ │ │ │ │ │ │ │ │ ○ right20  note
  (8) │ │ │ │ │ │ │ │ │ │ ○ right19  note
  (7) │ │ │ │ │ │ │ │ │ │ ○ right18  note
  (6) │ │ │ │ │ │ │ │ │ │ ○ right17  note
  (5) │ │ │ │ │ │ │ │ │ │ ○ right16  note
  (4) │ │ │ │ │ │ │ │ │ │ ○ right15  note
  (3) │ │ │ │ │ │ │ │ │ │ ○ right14  note
  (2) │ │ │ │ │ │ │ │ │ │ ○ right13  note
  (1) │ │ │ │ │ │ │ │ │ │ ○ right12  note
  │ │ │ │ │ │ │ │ │ │ ○ right11  note
  │ │ │ │ │ │ │ │ │ ○ right10  note
  │ │ │ │ │ │ │ │ ○ right09  note
  │ │ │ │ │ │ │ ○ right08  note
  │ │ │ │ │ │ ○ right07  note
  │ │ │ │ │ ○ right06  note
  │ │ │ │ ○ right05  note
  │ │ │ ○ right04  note
  │ │ ○ right03  note
  │ ○ right02  note
  ○ right01  note
  $ COLUMNS=60 xylem tree s --all | grep '.\{61\}'
  [1]
  $ verify

Roots that have no room are folded into one line.

  $ fresh 19:30
  $ for number in $(seq -w 0 89); do xylem append s --create --kind note --id r0$number --parent none >/dev/null; done
  $ xylem tree s
  s: 90 entries, 90 tips; 42 drawn
  … 48 entries, 48 tips (48 roots)
  ○ r048  note
  ○ r049  note
  ○ r050  note
  ○ r051  note
  ○ r052  note
  ○ r053  note
  ○ r054  note
  ○ r055  note
  ○ r056  note
  ○ r057  note
  ○ r058  note
  ○ r059  note
  ○ r060  note
  ○ r061  note
  ○ r062  note
  ○ r063  note
  ○ r064  note
  ○ r065  note
  ○ r066  note
  ○ r067  note
  ○ r068  note
  ○ r069  note
  ○ r070  note
  ○ r071  note
  ○ r072  note
  ○ r073  note
  ○ r074  note
  ○ r075  note
  ○ r076  note
  ○ r077  note
  ○ r078  note
  ○ r079  note
  ○ r080  note
  ○ r081  note
  ○ r082  note
  ○ r083  note
  ○ r084  note
  ○ r085  note
  ○ r086  note
  ○ r087  note
  ○ r088  note
  ● r089  note        <leaf>
  $ xylem tree s | wc -l
  44
  $ xylem tree s --all | wc -l
  91
  $ verify

No line is longer than the terminal with long ids.

  $ fresh 19:30
  $ id() {
  >     printf '01a1fb3d-3569-7d69-a%03d-000000000001' $1
  > }
  $ add s $(id 0) custom:a-kind-with-a-long-name '{"enabled":true}'
  $ for number in $(seq 12); do
  >     xylem append s --kind message --id $(id $number) --parent @~$((number % 3 == 0)) \
  >         --data "{\"role\":\"user\",\"content\":\"$number\"}" >/dev/null
  > done
  $ COLUMNS=60 xylem tree s
  s: 13 entries, 5 tips
  ● 01a1fb3d-3569-7d69-a000  custom:a-kind-with-a-long-name  …
  ● 01a1fb3d-3569-7d69-a001  user        1
  ├─○ 01a1fb3d-3569-7d69-a002  user        2
  ● 01a1fb3d-3569-7d69-a003  user        3
  ● 01a1fb3d-3569-7d69-a004  user        4
  ├─○ 01a1fb3d-3569-7d69-a005  user        5
  ● 01a1fb3d-3569-7d69-a006  user        6
  ● 01a1fb3d-3569-7d69-a007  user        7
  ├─○ 01a1fb3d-3569-7d69-a008  user        8
  ● 01a1fb3d-3569-7d69-a009  user        9
  ● 01a1fb3d-3569-7d69-a010  user        10
  ├─○ 01a1fb3d-3569-7d69-a011  user        11
  ● 01a1fb3d-3569-7d69-a012  user        <leaf> 12
  $ COLUMNS=80 xylem tree s
  s: 13 entries, 5 tips
  ● 01a1fb3d-3569-7d69-a000  custom:a-kind-with-a-long-name  {"enabled":true}
  ● 01a1fb3d-3569-7d69-a001  user        1
  ├─○ 01a1fb3d-3569-7d69-a002  user        2
  ● 01a1fb3d-3569-7d69-a003  user        3
  ● 01a1fb3d-3569-7d69-a004  user        4
  ├─○ 01a1fb3d-3569-7d69-a005  user        5
  ● 01a1fb3d-3569-7d69-a006  user        6
  ● 01a1fb3d-3569-7d69-a007  user        7
  ├─○ 01a1fb3d-3569-7d69-a008  user        8
  ● 01a1fb3d-3569-7d69-a009  user        9
  ● 01a1fb3d-3569-7d69-a010  user        10
  ├─○ 01a1fb3d-3569-7d69-a011  user        11
  ● 01a1fb3d-3569-7d69-a012  user        <leaf> 12
  $ COLUMNS=100 xylem tree s
  s: 13 entries, 5 tips
  ● 01a1fb3d-3569-7d69-a000  custom:a-kind-with-a-long-name  {"enabled":true}
  ● 01a1fb3d-3569-7d69-a001  user        1
  ├─○ 01a1fb3d-3569-7d69-a002  user        2
  ● 01a1fb3d-3569-7d69-a003  user        3
  ● 01a1fb3d-3569-7d69-a004  user        4
  ├─○ 01a1fb3d-3569-7d69-a005  user        5
  ● 01a1fb3d-3569-7d69-a006  user        6
  ● 01a1fb3d-3569-7d69-a007  user        7
  ├─○ 01a1fb3d-3569-7d69-a008  user        8
  ● 01a1fb3d-3569-7d69-a009  user        9
  ● 01a1fb3d-3569-7d69-a010  user        10
  ├─○ 01a1fb3d-3569-7d69-a011  user        11
  ● 01a1fb3d-3569-7d69-a012  user        <leaf> 12
  $ verify

What is remarkable in a long run stays.

  $ fresh 19:30
  $ for number in $(seq -w 0 21); do
  >     case $number in
  >     06) add s a06 custom:readonly '{"enabled":true}' ;;
  >     13) add s a13 compaction '{"summary":"so_far_so_good"}' ;;
  >     *) add s a$number note '{"summary":"so_far_so_good"}' ;;
  >     esac
  > done
  $ xylem tree s
  s: 22 entries, 1 tip
  ● a00  note             {"summary":"so_far_so_good"}
  ● a01  note             {"summary":"so_far_so_good"}
  ● a02  note             {"summary":"so_far_so_good"}
  … 3 entries
  ● a06  custom:readonly  {"enabled":true}
  … 6 entries
  ● a13  compaction       so_far_so_good
  … 5 entries
  ● a19  note             {"summary":"so_far_so_good"}
  ● a20  note             {"summary":"so_far_so_good"}
  ● a21  note             <leaf> {"summary":"so_far_so_good"}
  $ verify

A tree of 5,000 entries is read on one screen. The session forks hundreds of times.

  $ fresh 19:30
  $ awk 'BEGIN {
  >     print "{\"type\":\"session\",\"version\":3,\"id\":\"long\",\"timestamp\":\"2026-11-10T00:00:00.000Z\",\"cwd\":\"/\"}"
  >     random = 5
  >     parent = -1
  >     for (i = 0; i < 5000; i++) {
  >         random = (random * 1664525 + 1013904223) % 4294967296
  >         dice = int(random / 256)
  >         if (i > 0 && dice % 10 == 0) {
  >             parent = i - 1 - int(dice / 10) % 90
  >             if (parent < 0) parent = 0
  >         }
  >         type = dice % 97 == 0 ? "custom" : dice % 331 == 0 ? "compaction" : dice % 307 == 0 ? "label" : "message"
  >         printf "{\"type\":\"%s\",\"id\":\"e%06d\",\"parentId\":", type, i
  >         printf parent < 0 ? "null" : "\"e%06d\"", parent
  >         printf ",\"timestamp\":\"2026-11-%02dT%02d:%02d:00.000Z\",", 10 + int(i / 720), int(i / 30) % 24, i * 2 % 60
  >         if (type == "custom")
  >             printf "\"customType\":\"readonly\",\"data\":{\"enabled\":%s}}\n", dice % 2 == 0 ? "true" : "false"
  >         else if (type == "compaction")
  >             printf "\"summary\":\"what came before %d\"}\n", i
  >         else if (type == "label")
  >             printf "\"targetId\":\"e%06d\",\"label\":\"point %d\"}\n", i - (i < 7 ? 0 : 7), i
  >         else
  >             printf "\"message\":{\"role\":\"%s\",\"content\":\"message %d of a long session\"}}\n", dice % 3 == 0 ? "user" : "assistant", i
  >         parent = i
  >     }
  > }' >long.jsonl
  $ xylem import -q long.jsonl $SESSIONS/specials/bushy-500.jsonl
  2 files: 2 new; 5,612 entries added, 0 lines put into quarantine, 0 problems
  $ for line in 'tree long' 'tree long --kind custom:readonly' 'tree long --kind message' 'tree long --since 2026-11-12' \
  >     'tree long --since 2026-11-15 --kind message' "tree $BUSHY_ID"; do
  >     for columns in 60 80 160; do
  >         COLUMNS=$columns xylem $line >drawing
  >         echo "$(wc -l <drawing) lines, $(grep -c '<leaf>' drawing) leaf"
  >         grep ".\{$((columns + 1))\}" drawing
  >     done
  > done
  39 lines, 1 leaf
  39 lines, 1 leaf
  39 lines, 1 leaf
  44 lines, 1 leaf
  44 lines, 1 leaf
  44 lines, 1 leaf
  44 lines, 1 leaf
  44 lines, 1 leaf
  44 lines, 1 leaf
  40 lines, 1 leaf
  40 lines, 1 leaf
  40 lines, 1 leaf
  44 lines, 1 leaf
  44 lines, 1 leaf
  44 lines, 1 leaf
  43 lines, 1 leaf
  43 lines, 1 leaf
  43 lines, 1 leaf
  [1]
  $ COLUMNS=80 xylem tree long
  long: 5,000 entries, 425 tips; 19 drawn
  ● e000000  assistant        message 0 of a long session
  ├─… 56 entries, 7 tips (2 state changes)
  … 3,976 entries, 331 tips (12 labels, 17 compactions, 43 state changes)
  ● e003990  custom:readonly  {"enabled":true}
  … 97 entries, 10 tips (1 label)
  ● e004091  custom:readonly  {"enabled":false}
  … 631 entries, 65 tips (1 label, 1 compaction, 4 state changes)
  ● e004762  user             message 4762 of a long session
  ├─… 16 entries (1 compaction)
  │ ○ e004835  assistant        message 4835 of a long session
  │ ├─○ e004895  assistant        [point 4902] message 4895 of a long session
  │ │ … 2 entries, 1 tip
  │ … 9 entries, 1 tip
  │ ○ e004843  assistant        message 4843 of a long session
  │ ├─… 3 entries
  │ │ ○ e004847  user             [point 4854] message 4847 of a long session
  │ … 12 entries
  │ ○ e004860  custom:readonly  {"enabled":true}
  │ … 3 entries, 1 tip
  … 44 entries, 2 tips
  ● e004808  custom:readonly  {"enabled":false}
  … 19 entries, 2 tips
  ● e004864  assistant        [point 4871] message 4864 of a long session
  … 41 entries, 1 tip
  ● e004890  assistant        message 4890 of a long session
  ├─… 4 entries, 1 tip
  … 7 entries
  ● e004932  custom:readonly  {"enabled":false}
  … 5 entries
  ● e004938  user             message 4938 of a long session
  ├─… 12 entries
  │ ○ e004951  assistant        [point 4958] message 4951 of a long session
  │ … 6 entries
  │ ○ e004958  label            point 4958 on e004951
  … 38 entries
  ● e004997  user             message 4997 of a long session
  ● e004998  user             message 4998 of a long session
  ● e004999  assistant        <leaf> message 4999 of a long session
  $ COLUMNS=80 xylem tree $BUSHY_ID
  01a1fa04-8990-7035-be02-03c708ea6479: 612 entries, 320 tips; 22 drawn
  ● 0809526f  user             [L50] root
  ├─… 252 entries, 131 tips (33 state changes)
  ├─… 60 entries, 33 tips (9 state changes)
  │ ○ b4a95f56  user             [L300] n168
  │ … 3 entries, 1 tip (1 state change)
  ├─○ e76ddcbe  assistant        n51
  │ ├─… 6 entries, 4 tips (1 state change)
  │ ├─○ 808a4c4a  user             [L100] n78
  │ │ ├─○ 18b0bcec  assistant        [L350] n151
  │ │ │ ○ c2e97e76  user             n172
  │ │ … 13 entries, 7 tips (2 state changes)
  │ ○ ce91bfe6  assistant        [L150] n131
  │ … 3 entries, 2 tips
  ├─○ 0bdd3c43  user             [L200] n158
  │ … 20 entries, 8 tips (5 state changes)
  ├─○ 343cdff2  assistant        n211
  │ ├─… 28 entries, 17 tips (7 state changes)
  │ ├─… 5 entries, 2 tips (1 state change)
  │ │ ○ 7c92e85c  custom:readonly  {"enabled":false}
  │ … 4 entries, 2 tips
  │ ○ d257652c  assistant        n497
  ● 104c6506  assistant        [L250] n25
  ├─… 3 entries, 2 tips (2 state changes)
  ├─… 66 entries, 40 tips (9 state changes)
  │ ○ eb610985  assistant        [L450] n105
  │ ├─… 3 entries
  │ │ ○ cee3b969  custom:readonly  {"enabled":true}
  │ … 20 entries, 11 tips (5 state changes)
  ├─○ 45324654  assistant        [L400] n91
  │ … 37 entries, 19 tips (7 state changes)
  ● 2c8b7b36  assistant        n65
  ├─… 39 entries, 21 tips (8 state changes)
  ├─○ e7353a9b  assistant        n85
  │ ├─… 11 entries, 6 tips (2 state changes)
  │ ├─… 14 entries, 5 tips (4 state changes)
  │ │ ○ 5479e958  custom:readonly  {"enabled":false}
  │ ○ defe0cbc  user             n498
  ● 67c9aece  assistant        n81
  ├─… 2 entries, 2 tips
  ● f1857953  user             n340
  ● f05bbbaf  custom:readonly  {"enabled":true}
  ● 745beb63  assistant        <leaf> n499
  $ xylem tree long --all | wc -l
  5001
  $ xylem tree long --all --kind message | wc -l
  5000
  $ verify

Wrong filters are refused.

  $ fresh
  $ xylem tree s --since tomorrow
  xylem: tree: 'tomorrow' is not a time: expected an age like 30s, 5m, 2h, 3d, 2w, 1y, a day like today, yesterday, monday, 2026-11-20, or a day and a clock time like 'monday 17:18', 2026-11-20T17:18:05Z (see `xylem tree --help`)
  [2]
  $ xylem tree s --until yesterday14:00
  xylem: tree: 'yesterday14:00' is not a time: expected an age like 30s, 5m, 2h, 3d, 2w, 1y, a day like today, yesterday, monday, 2026-11-20, or a day and a clock time like 'monday 17:18', 2026-11-20T17:18:05Z (see `xylem tree --help`)
  [2]
  $ xylem tree s --since 2026-02-30
  xylem: tree: '2026-02-30' is not a time: expected an age like 30s, 5m, 2h, 3d, 2w, 1y, a day like today, yesterday, monday, 2026-11-20, or a day and a clock time like 'monday 17:18', 2026-11-20T17:18:05Z (see `xylem tree --help`)
  [2]
  $ xylem tree s --since 2027-02-29T12:00:00Z
  xylem: tree: '2027-02-29T12:00:00Z' is not a time: expected an age like 30s, 5m, 2h, 3d, 2w, 1y, a day like today, yesterday, monday, 2026-11-20, or a day and a clock time like 'monday 17:18', 2026-11-20T17:18:05Z (see `xylem tree --help`)
  [2]
  $ xylem tree s --family --until 1d
  xylem: tree: --family cannot be combined with --all, --kind, --since or --until (see `xylem tree --help`)
  [2]
  $ xylem tree s --since
  xylem: tree: --since needs a value: TIME (see `xylem tree --help`)
  [2]
  $ xylem tree s --kind
  xylem: tree: --kind needs a value: KIND (see `xylem tree --help`)
  [2]
  $ xylem tree s --kind 'a\b'
  xylem: tree: a\b is not a kind: expected 'custom:' and a name, or the name of a host kind with '\' before each ':' and '\'
  [2]
  $ xylem tree s --family --all
  xylem: tree: --family cannot be combined with --all, --kind, --since or --until (see `xylem tree --help`)
  [2]
  $ xylem tree s --family --kind k
  xylem: tree: --family cannot be combined with --all, --kind, --since or --until (see `xylem tree --help`)
  [2]
  $ xylem tree s --family --since 1d
  xylem: tree: --family cannot be combined with --all, --kind, --since or --until (see `xylem tree --help`)
  [2]
  $ xylem tree s -k1 -k2 -k3 -k4 -k5 -k6 -k7 -k8 -k9 -k10 -k11 -k12 -k13 -k14 -k15 -k16 -k17
  xylem: tree: --kind may be given at most 16 times (see `xylem tree --help`)
  [2]

A session without entries has a title.

  $ add s a note
  $ xylem fork s:a --before --id none
  none
  $ xylem tree none
  none: 0 entries, 0 tips, no current entry
  $ xylem tree none --kind message
  none: 0 entries, 0 tips, no current entry
  xylem: tree: no entry of the session is of the kind 'message'
  $ verify

Families are drawn.

  $ fresh 19:30
  $ xylem import -q $SESSIONS/rpc-scenario $SESSIONS/random-22 $SESSIONS/specials/multi-root.jsonl
  11 files: 11 new; 511 entries added, 86 shared (66.3 KiB saved), 0 lines put into quarantine, 0 problems
  $ xylem delete 01a1f9f7-2412-72e7-96e0-968afbd4f58a --yes
  deleted session 01a1f9f7-2412-72e7-96e0-968afbd4f58a (scenario one, its leaf has depth 8)
  $ xylem tree $SCENARIO_ID --family
  SESSION                                       OWN  SHARED  FORKED AT           READONLY  LEAF  NAME
  ● 01a1f9f7-22cb-72e7-96e0-96825857127f         31       -  -                   on          2h  scenario one
  ├─○ 01a1f9f7-23f3-72e7-96e0-968898789fa5        2      18  8db136e6            on          2h  scenario one
  │ └─○ 01a1f9f7-2412-72e7-96e0-968afbd4f58a      2       6  8d16e680   deleted  off         2h  scenario one
  │   └─○ 01a1f9f7-242a-72e7-96e0-968cc1522d24    2       4  6bc7b764            off         2h  scenario one
  ├─○ 01a1f9f7-247a-72e7-96e0-96936d1868b0        6    none  -                   off         2h  -
  └─○ 01a1f9f7-248c-72e7-96e0-9697eaa3c8dd        6    none  -                   off         2h  -
  $ COLUMNS=60 xylem tree 01a1f9f7-23f3 --family
  SESSION                OWN  SHARED  FORKED AT
  ○ 01a1f9f7-22cb         31       -  -
  ├─● 01a1f9f7-23f3        2      18  8db136e6
  │ └─○ 01a1f9f7-2412      2       6  8d16e680   deleted
  │   └─○ 01a1f9f7-242a    2       4  6bc7b764
  ├─○ 01a1f9f7-247a        6    none  -
  └─○ 01a1f9f7-248c        6    none  -
  $ COLUMNS=80 xylem tree 01a1f9f7-23f3 --family
  SESSION                OWN  SHARED  FORKED AT           READONLY  LEAF  NAME
  ○ 01a1f9f7-22cb         31       -  -                   on          2h  scenari…
  ├─● 01a1f9f7-23f3        2      18  8db136e6            on          2h  scenari…
  │ └─○ 01a1f9f7-2412      2       6  8d16e680   deleted  off         2h  scenari…
  │   └─○ 01a1f9f7-242a    2       4  6bc7b764            off         2h  scenari…
  ├─○ 01a1f9f7-247a        6    none  -                   off         2h  -
  └─○ 01a1f9f7-248c        6    none  -                   off         2h  -
  $ COLUMNS=160 xylem tree 01a1f9f7-23f3 --family
  SESSION                                       OWN  SHARED  FORKED AT           READONLY  LEAF  NAME
  ○ 01a1f9f7-22cb-72e7-96e0-96825857127f         31       -  -                   on          2h  scenario one
  ├─● 01a1f9f7-23f3-72e7-96e0-968898789fa5        2      18  8db136e6            on          2h  scenario one
  │ └─○ 01a1f9f7-2412-72e7-96e0-968afbd4f58a      2       6  8d16e680   deleted  off         2h  scenario one
  │   └─○ 01a1f9f7-242a-72e7-96e0-968cc1522d24    2       4  6bc7b764            off         2h  scenario one
  ├─○ 01a1f9f7-247a-72e7-96e0-96936d1868b0        6    none  -                   off         2h  -
  └─○ 01a1f9f7-248c-72e7-96e0-9697eaa3c8dd        6    none  -                   off         2h  -
  $ COLUMNS=80 xylem tree 01a1f9f7-23f3 --family --color always
  \x1b[2mSESSION\x1b[0m                \x1b[2mOWN\x1b[0m  \x1b[2mSHARED\x1b[0m  \x1b[2mFORKED AT\x1b[0m           \x1b[2mREADONLY\x1b[0m  \x1b[2mLEAF\x1b[0m  \x1b[2mNAME\x1b[0m (esc)
  \x1b[33m○ 01a1f9f7-22cb\x1b[0m         31       -  -                   \x1b[31mon\x1b[0m          \x1b[2m2h\x1b[0m  \x1b[1mscenari…\x1b[0m (esc)
  \x1b[33m├─● 01a1f9f7-23f3\x1b[0m        2      18  \x1b[33m8db136e6\x1b[0m            \x1b[31mon\x1b[0m          \x1b[2m2h\x1b[0m  \x1b[1mscenari…\x1b[0m (esc)
  \x1b[33m│ └─○ 01a1f9f7-2412\x1b[0m      2       6  \x1b[33m8d16e680\x1b[0m   \x1b[31mdeleted\x1b[0m  off         \x1b[2m2h\x1b[0m  \x1b[1mscenari…\x1b[0m (esc)
  \x1b[33m│   └─○ 01a1f9f7-242a\x1b[0m    2       4  \x1b[33m6bc7b764\x1b[0m            off         \x1b[2m2h\x1b[0m  \x1b[1mscenari…\x1b[0m (esc)
  \x1b[33m├─○ 01a1f9f7-247a\x1b[0m        6    none  -                   off         \x1b[2m2h\x1b[0m  - (esc)
  \x1b[33m└─○ 01a1f9f7-248c\x1b[0m        6    none  -                   off         \x1b[2m2h\x1b[0m  - (esc)
  $ xylem tree 01a1f9f7-23f3 --family --jsonl
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","source":null,"parent_session":null,"forked_at":null,"forked_depth":0,"shared_count":0,"own_count":31,"tree":1,"state":"live","name":"scenario one","created":"2026-11-20T17:18:05.515Z","leaf":"32512cc7","leaf_time":"2026-11-20T17:18:05.944Z","readonly":true}
  {"schema":1,"session":"01a1f9f7-23f3-72e7-96e0-968898789fa5","source":"01a1f9f7-22cb-72e7-96e0-96825857127f","parent_session":"/home/dev/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl","forked_at":"8db136e6","forked_depth":18,"shared_count":18,"own_count":2,"tree":1,"state":"live","name":"scenario one","created":"2026-11-20T17:18:05.812Z","leaf":"f67145b2","leaf_time":"2026-11-20T17:18:05.841Z","readonly":true}
  {"schema":1,"session":"01a1f9f7-2412-72e7-96e0-968afbd4f58a","source":"01a1f9f7-23f3-72e7-96e0-968898789fa5","parent_session":"/home/dev/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-812Z_01a1f9f7-23f3-72e7-96e0-968898789fa5.jsonl","forked_at":"8d16e680","forked_depth":6,"shared_count":6,"own_count":2,"tree":1,"state":"deleted","name":"scenario one","created":"2026-11-20T17:18:05.843Z","leaf":"bb0d19f3","leaf_time":"2026-11-20T17:18:05.865Z","readonly":false}
  {"schema":1,"session":"01a1f9f7-242a-72e7-96e0-968cc1522d24","source":"01a1f9f7-2412-72e7-96e0-968afbd4f58a","parent_session":"/home/dev/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-843Z_01a1f9f7-2412-72e7-96e0-968afbd4f58a.jsonl","forked_at":"6bc7b764","forked_depth":4,"shared_count":4,"own_count":2,"tree":1,"state":"live","name":"scenario one","created":"2026-11-20T17:18:05.866Z","leaf":"e1857b5c","leaf_time":"2026-11-20T17:18:05.890Z","readonly":false}
  {"schema":1,"session":"01a1f9f7-247a-72e7-96e0-96936d1868b0","source":"01a1f9f7-22cb-72e7-96e0-96825857127f","parent_session":"/home/dev/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl","forked_at":null,"forked_depth":0,"shared_count":0,"own_count":6,"tree":6,"state":"live","name":null,"created":"2026-11-20T17:18:05.946Z","leaf":"c7e41b90","leaf_time":"2026-11-20T17:18:05.963Z","readonly":false}
  {"schema":1,"session":"01a1f9f7-248c-72e7-96e0-9697eaa3c8dd","source":"01a1f9f7-22cb-72e7-96e0-96825857127f","parent_session":"/home/dev/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl","forked_at":null,"forked_depth":0,"shared_count":0,"own_count":6,"tree":7,"state":"live","name":null,"created":"2026-11-20T17:18:05.964Z","leaf":"2d3b6a16","leaf_time":"2026-11-20T17:18:05.988Z","readonly":false}
  $ LC_ALL=C COLUMNS=80 xylem tree 01a1f9f7-23f3 --family
  SESSION                OWN  SHARED  FORKED AT           READONLY  LEAF  NAME
  o 01a1f9f7-22cb         31       -  -                   on          2h  scenari~
  |-* 01a1f9f7-23f3        2      18  8db136e6            on          2h  scenari~
  | `-o 01a1f9f7-2412      2       6  8d16e680   deleted  off         2h  scenari~
  |   `-o 01a1f9f7-242a    2       4  6bc7b764            off         2h  scenari~
  |-o 01a1f9f7-247a        6    none  -                   off         2h  -
  `-o 01a1f9f7-248c        6    none  -                   off         2h  -
  $ verify

A fork stands below what it was forked from: old-place is a fork of copy, though the entry is the first session's.

  $ scenario
  $ xylem fork $SCENARIO_ID:8d16e680 --id try-again
  try-again
  $ add try-again more note
  $ add try-again named session_info '{"name":"\u0020tried\n"}'
  $ xylem clone try-again --id copy
  copy
  $ xylem fork copy:8d16e680 --id old-place
  old-place
  $ xylem fork $SCENARIO_ID:b8ef64c6 --before --id fresh
  fresh
  $ xylem delete try-again --yes
  deleted session try-again (tried, its leaf has depth 8)
  $ add stranger e note
  $ xylem tree copy --family --jsonl
  {"schema":1,"session":"01a1f9f7-22cb-72e7-96e0-96825857127f","source":null,"parent_session":null,"forked_at":null,"forked_depth":0,"shared_count":0,"own_count":31,"tree":1,"state":"live","name":"scenario one","created":"2026-11-20T17:18:05.515Z","leaf":"32512cc7","leaf_time":"2026-11-20T17:18:05.944Z","readonly":true}
  {"schema":1,"session":"try-again","source":"01a1f9f7-22cb-72e7-96e0-96825857127f","parent_session":"01a1f9f7-22cb-72e7-96e0-96825857127f","forked_at":"8d16e680","forked_depth":6,"shared_count":6,"own_count":2,"tree":1,"state":"deleted","name":"tried","created":"*","leaf":"named","leaf_time":"*","readonly":false} (glob)
  {"schema":1,"session":"copy","source":"try-again","parent_session":"try-again","forked_at":"named","forked_depth":8,"shared_count":8,"own_count":0,"tree":1,"state":"live","name":"tried","created":"*","leaf":"named","leaf_time":"*","readonly":false} (glob)
  {"schema":1,"session":"old-place","source":"copy","parent_session":"copy","forked_at":"8d16e680","forked_depth":6,"shared_count":6,"own_count":0,"tree":1,"state":"live","name":"scenario one","created":"*","leaf":"8d16e680","leaf_time":"2026-11-20T17:18:05.650Z","readonly":false} (glob)
  {"schema":1,"session":"fresh","source":"01a1f9f7-22cb-72e7-96e0-96825857127f","parent_session":"01a1f9f7-22cb-72e7-96e0-96825857127f","forked_at":null,"forked_depth":0,"shared_count":0,"own_count":0,"tree":1,"state":"live","name":null,"created":"*","leaf":null,"leaf_time":null,"readonly":false} (glob)
  $ xylem tree copy --family
  SESSION                                 OWN  SHARED  FORKED AT           READONLY  LEAF  NAME
  ○ 01a1f9f7-22cb-72e7-96e0-96825857127f   31       -  -                   on          2h  scenario one
  ├─○ try-again                             2       6  8d16e680   deleted  off         0s  tried
  │ └─● copy                                0       8  named               off         0s  tried
  │   └─○ old-place                         0       6  8d16e680            off         2h  scenario one
  └─○ fresh                                 0    none  -                   off       none  -
  $ verify

A session alone is its own family.

  $ fresh 19:30
  $ add s only note
  $ xylem tree s --family --jsonl
  {"schema":1,"session":"s","source":null,"parent_session":null,"forked_at":null,"forked_depth":0,"shared_count":0,"own_count":1,"tree":1,"state":"live","name":null,"created":"*","leaf":"only","leaf_time":"*","readonly":false} (glob)
  $ verify

Names are those that the list shows. What JavaScript takes for white space is trimmed, and a NUL ends nothing.

  $ fresh
  $ add s root note
  $ xylem fork s:root --id forked
  forked
  $ for name in '\u00a0\ufeff between \u2003' 'a\u0000b' '\u3000' plain; do
  >     xylem append forked --kind session_info --data "{\"name\":\"$name\"}" >/dev/null
  >     xylem sessions --jsonl | grep '"session":"forked"' | grep -o '"name":[^,]*'
  >     xylem tree s --family --jsonl | grep '"session":"forked"' | grep -o '"name":[^,]*'
  > done
  "name":"between"
  "name":"between"
  "name":"a\u0000b"
  "name":"a\u0000b"
  "name":null
  "name":null
  "name":"plain"
  "name":"plain"
  $ verify

A long path is not walked. The records lead to what is said of a session: what lies between them is not looked at, and
may be lost.

  $ fresh 19:30
  $ add s root note
  $ add s victim-entry note
  $ add s last-one note
  $ xylem clone s --id cloned
  cloned
  $ damage victim-entry
  $ xylem tree s --family --jsonl
  {"schema":1,"session":"s","source":null,"parent_session":null,"forked_at":null,"forked_depth":0,"shared_count":0,"own_count":3,"tree":1,"state":"live","name":null,"created":"*","leaf":"last-one","leaf_time":"*","readonly":false} (glob)
  {"schema":1,"session":"cloned","source":"s","parent_session":"s","forked_at":"last-one","forked_depth":3,"shared_count":3,"own_count":0,"tree":1,"state":"live","name":null,"created":"*","leaf":"last-one","leaf_time":"*","readonly":false} (glob)
  $ xylem state s >/dev/null
  $ xylem log s
  xylem: log: the record at branch 1, depth 2 does not match its sum
  xylem: the store is damaged; `xylem -s store verify` tells what is wrong, and what to do next
  [5]

Headers link sessions that share nothing. The sessions are listed in the order in which they are drawn, each with what it
was forked from.

  $ import_one() {
  >     cat >2026_$1.jsonl <<EOF
  > {"type":"session","version":3,"id":"$1","timestamp":"2026-11-20T00:00:00.000Z","cwd":"/"${2+,\"parentSession\":\"$2\"}}
  > {"type":"note","id":"n-$1","parentId":null,"timestamp":"2026-11-20T00:00:00.000Z"}
  > EOF
  >     xylem import -q 2026_$1.jsonl >/dev/null
  > }
  $ linked() {
  >     xylem tree $1 --family --jsonl | sed 's/.*"session":"\([^"]*\)","source":\([^,]*\),.*/\1 < \2/'
  > }
  $ fresh 19:30
  $ import_one one
  $ import_one by-path /elsewhere/2026-11-20_one.jsonl
  $ import_one by-id by-path
  $ import_one by-name with_lines_by-id
  $ import_one lost /elsewhere/2026_gone.jsonl
  $ import_one odd /elsewhere/
  $ import_one no-line /elsewhere/one.jsonl
  $ linked by-id
  one < null
  by-path < "one"
  by-id < "by-path"
  by-name < "by-id"
  $ linked lost
  lost < null
  $ linked no-line
  no-line < null
  $ xylem tree by-id --family
  SESSION          OWN  SHARED  FORKED AT    READONLY  LEAF  NAME
  ○ one              1       -  -            off        19h  -
  └─○ by-path        1    none  -            off        19h  -
    └─● by-id        1    none  -            off        19h  -
      └─○ by-name    1    none  -            off        19h  -
  $ xylem tree lost --family
  SESSION  OWN  SHARED  FORKED AT                   READONLY  LEAF  NAME
  ● lost     1       -  -          source not here  off        19h  -
  $ verify

A header names the session that an import would share with: the id in the name of a file comes first, and only `.jsonl`
is taken off it.

  $ fresh
  $ import_one old
  $ import_one 2026_old
  $ import_one by-part 2026_old
  $ import_one by-path /some/where/2026_old.jsonl
  $ import_one v1.2
  $ import_one by-dots 2026_v1.2
  $ import_one by_line
  $ import_one by-whole by_line
  $ linked old
  old < null
  by-part < "old"
  by-path < "old"
  $ linked v1.2
  v1.2 < null
  by-dots < "v1.2"
  $ linked by_line
  by_line < null
  by-whole < "by_line"
  $ verify

Headers that lead in a circle end at the oldest session.

  $ fresh 19:30
  $ import_one c1 c3
  $ import_one c2 c1
  $ import_one c3 c2
  $ import_one tail x_c2
  $ import_one self self
  $ linked tail
  c1 < null
  c2 < "c1"
  c3 < "c2"
  tail < "c2"
  $ xylem tree c3 --family
  SESSION     OWN  SHARED  FORKED AT                     READONLY  LEAF  NAME
  ○ c1          1       -  -          comes from itself  off        19h  -
  └─○ c2        1    none  -                             off        19h  -
    ├─● c3      1    none  -                             off        19h  -
    └─○ tail    1    none  -                             off        19h  -
  $ linked self
  self < null
  $ verify

A long chain of forks fits the terminal.

  $ fresh 19:30
  $ add s00 n00 note
  $ before=s00
  $ for number in $(seq -w 1 15); do
  >     xylem clone $before --id s$number >/dev/null
  >     before=s$number
  >     add $before n$number note
  > done
  $ COLUMNS=80 xylem tree s07 --family
  SESSION             OWN  SHARED  FORKED AT    READONLY  LEAF  NAME
  ○ s00                 1       -  -            off         0s  -
  └─○ s01               1       1  n00          off         0s  -
    └─○ s02             1       2  n01          off         0s  -
      └─○ s03           1       3  n02          off         0s  -
        └─○ s04         1       4  n03          off         0s  -
  (1)       └─○ s05     1       5  n04          off         0s  -
  (2)       └─○ s06     1       6  n05          off         0s  -
  (3)       └─● s07     1       7  n06          off         0s  -
  (4)       └─○ s08     1       8  n07          off         0s  -
  (5)       └─○ s09     1       9  n08          off         0s  -
  (6)       └─○ s10     1      10  n09          off         0s  -
  (7)       └─○ s11     1      11  n10          off         0s  -
  (8)       └─○ s12     1      12  n11          off         0s  -
  (9)       └─○ s13     1      13  n12          off         0s  -
  (10)       └─○ s14    1      14  n13          off         0s  -
  (11)       └─○ s15    1      15  n14          off         0s  -
  $ verify

Damage in one session does not hide its family.

  $ fresh 19:30
  $ add s sound note
  $ xylem clone s --id broken
  broken
  $ add broken victim-entry note
  $ xylem clone broken --id leafless
  leafless
  $ damage victim-entry
  $ xylem tree s --family
  xylem: tree: session broken: the record at branch 2, depth 2 does not match its sum
  xylem: tree: session leafless: the record at branch 2, depth 2 does not match its sum
  SESSION         OWN  SHARED  FORKED AT           READONLY  LEAF  NAME
  ● s               1       -  -                   off         0s  -
  └─○ broken        ?       ?  -          damaged  ?            ?  -
    └─○ leafless    ?       ?  -          damaged  ?            ?  -
  xylem: the store is damaged; `xylem -s store verify` tells what is wrong, and what to do next
  [5]
  $ xylem tree s --family --json
  {"schema":1,"sessions":[{"session":"s","source":null,"parent_session":null,"forked_at":null,"forked_depth":0,"shared_count":0,"own_count":1,"tree":1,"state":"live","name":null,"created":"*","leaf":"sound","leaf_time":"*","readonly":false}xylem: tree: session broken: the record at branch 2, depth 2 does not match its sum (glob)
  xylem: tree: session leafless: the record at branch 2, depth 2 does not match its sum
  ]}
  xylem: the store is damaged; `xylem -s store verify` tells what is wrong, and what to do next
  [5]
  $ xylem tree broken
  xylem: tree: the record at branch 2, depth 2 does not match its sum
  xylem: the store is damaged; `xylem -s store verify` tells what is wrong, and what to do next
  [5]
