What each command looks like to a person, on a terminal of 80 columns, in colour.

  $ . "$TESTDIR/setup.sh"
  $ DAMAGED=$SESSIONS/specials/damaged-orphan-and-duplicate.jsonl
  $ READS='{"version":1,"whole":true,"files":[
  >     {"path":"/no-such-directory/of-the-project/documents/notes.md","hash":"a:00","bytes":20480,"at":1795200000000,"by":"read"},
  >     {"path":"/no-such-directory/f","hash":"a:00","bytes":7,"at":1795202000000,"by":"write"}]}'
  $ fresh 19:30
  $ xylem import -q $SESSIONS/rpc-scenario $DAMAGED 2>/dev/null
  8 files: 8 new; 71 entries added, 28 shared (36.5 KiB saved), 1 line put into quarantine, 2 problems
  [1]
  $ xylem() {
  >     command xylem --color always "$@" </dev/null
  > }
  $ export COLUMNS=80

Every command, those that change the store last.

  $ xylem sessions
  \x1b[2mSESSION\x1b[0m              \x1b[2mAGE\x1b[0m  \x1b[2mENTRIES\x1b[0m  \x1b[2mDIRECTORY\x1b[0m       \x1b[2mNAME\x1b[0m               \x1b[2mLAST\x1b[0m (esc)
  \x1b[33m01a1fa04-8967\x1b[0m         \x1b[2m1h\x1b[0m       16  /home/dev/proj  \x1b[1m"hi"\x1b[0m               end (esc)
  \x1b[33m01a1f9f7-22cb\x1b[0m         \x1b[2m2h\x1b[0m       31  /home/dev/proj  \x1b[1mscenario one\x1b[0m       echo: aft… (esc)
  \x1b[33m├─01a1f9f7-248c\x1b[0m       \x1b[2m2h\x1b[0m        6  /home/dev/proj  \x1b[1m"loop iteration …\x1b[0m  echo: loo… (esc)
  \x1b[33m├─01a1f9f7-247a\x1b[0m       \x1b[2m2h\x1b[0m        6  /home/dev/proj  \x1b[1m"loop iteration …\x1b[0m  echo: loo… (esc)
  \x1b[33m└─01a1f9f7-23f3\x1b[0m       \x1b[2m2h\x1b[0m       20  /home/dev/proj  \x1b[1mscenario one\x1b[0m       echo: in … (esc)
  \x1b[33m  └─01a1f9f7-2412\x1b[0m     \x1b[2m2h\x1b[0m        8  /home/dev/proj  \x1b[1mscenario one\x1b[0m       echo: in … (esc)
  \x1b[33m    └─01a1f9f7-242a\x1b[0m   \x1b[2m2h\x1b[0m        6  /home/dev/proj  \x1b[1mscenario one\x1b[0m       echo: in … (esc)
  \x1b[33m01a1f9f7-2443\x1b[0m         \x1b[2m2h\x1b[0m        6  /home/dev/proj  \x1b[1m"in the new one"\x1b[0m   echo: in … (esc)
  $ xylem sessions --all --sort entries
  \x1b[2mSESSION\x1b[0m        \x1b[2mAGE\x1b[0m  \x1b[2mENTRIES\x1b[0m  \x1b[2mDIRECTORY\x1b[0m       \x1b[2mNAME\x1b[0m                \x1b[2mLAST\x1b[0m (esc)
  \x1b[33m01a1f9f7-22cb\x1b[0m   \x1b[2m2h\x1b[0m       31  /home/dev/proj  \x1b[1mscenario one\x1b[0m        echo: after re… (esc)
  \x1b[33m01a1f9f7-23f3\x1b[0m   \x1b[2m2h\x1b[0m       20  /home/dev/proj  \x1b[1mscenario one\x1b[0m        echo: in the c… (esc)
  \x1b[33m01a1fa04-8967\x1b[0m   \x1b[2m1h\x1b[0m       16  /home/dev/proj  \x1b[1m"hi"\x1b[0m                end (esc)
  \x1b[33m01a1f9f7-2412\x1b[0m   \x1b[2m2h\x1b[0m        8  /home/dev/proj  \x1b[1mscenario one\x1b[0m        echo: in the f… (esc)
  \x1b[33m01a1f9f7-248c\x1b[0m   \x1b[2m2h\x1b[0m        6  /home/dev/proj  \x1b[1m"loop iteration 1"\x1b[0m  echo: loop ite… (esc)
  \x1b[33m01a1f9f7-247a\x1b[0m   \x1b[2m2h\x1b[0m        6  /home/dev/proj  \x1b[1m"loop iteration 2"\x1b[0m  echo: loop ite… (esc)
  \x1b[33m01a1f9f7-2443\x1b[0m   \x1b[2m2h\x1b[0m        6  /home/dev/proj  \x1b[1m"in the new one"\x1b[0m    echo: in the n… (esc)
  \x1b[33m01a1f9f7-242a\x1b[0m   \x1b[2m2h\x1b[0m        6  /home/dev/proj  \x1b[1mscenario one\x1b[0m        echo: in the r… (esc)
  $ xylem tree $SCENARIO_ID
  \x1b[33m01a1f9f7-22cb-72e7-96e0-96825857127f\x1b[0m: \x1b[1mscenario one\x1b[0m, 31 entries, 2 tips (esc)
  \x1b[32m●\x1b[0m \x1b[33mb8ef64c6\x1b[0m  \x1b[36msession_info\x1b[0m     scenario one (esc)
  \x1b[32m●\x1b[0m \x1b[33mca6c99db\x1b[0m  \x1b[36mmodel_change\x1b[0m     fauxhost/faux-1 (esc)
  \x1b[32m●\x1b[0m \x1b[33md6a8b13d\x1b[0m  \x1b[36mthinking_level_change\x1b[0m  off (esc)
  \x1b[32m●\x1b[0m \x1b[33m6bc7b764\x1b[0m  system           You are an expert coding assistant operating insid… (esc)
  \x1b[32m●\x1b[0m \x1b[33m15efa3b4\x1b[0m  \x1b[32muser\x1b[0m             first question (esc)
  \x1b[32m●\x1b[0m \x1b[33m8d16e680\x1b[0m  \x1b[34massistant\x1b[0m        echo: first question (esc)
  \x1b[2m├─\x1b[0m\x1b[2m○\x1b[0m \x1b[33m88fe2aff\x1b[0m  \x1b[36mcustom:readonly\x1b[0m  {"enabled":true} (esc)
  \x1b[2m│ \x1b[0m\x1b[2m○\x1b[0m \x1b[33m26de9cb1\x1b[0m  \x1b[32muser\x1b[0m             !tool write {"path":"ro.txt","content":"nope"} (esc)
  \x1b[2m│ \x1b[0m\x1b[2m○\x1b[0m \x1b[33mfdf4cbd2\x1b[0m  \x1b[34massistant\x1b[0m        \x1b[36mwrite(ro.txt)\x1b[0m (esc)
  \x1b[2m│ \x1b[0m\x1b[2m○\x1b[0m \x1b[33mbe4cd5e4\x1b[0m  \x1b[31mtoolResult\x1b[0m       \x1b[31mwrite error:\x1b[0m Readonly mode: write/edit disabled.… (esc)
  \x1b[2m│ \x1b[0m\x1b[2m○\x1b[0m \x1b[33m6f7578e6\x1b[0m  \x1b[34massistant\x1b[0m        \x1b[35m[after-block] \x1b[0mdone: Readonly mode: write/edit di… (esc)
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
  \x1b[32m●\x1b[0m \x1b[33md8b2463f\x1b[0m  \x1b[36mcompaction\x1b[0m       ## Goal Faux summary #25 ## Progress - summarised … (esc)
  \x1b[32m●\x1b[0m \x1b[33m4f9ef798\x1b[0m  \x1b[32muser\x1b[0m             after compaction (esc)
  \x1b[32m●\x1b[0m \x1b[33m8db136e6\x1b[0m  \x1b[34massistant\x1b[0m        echo: after compaction (esc)
  \x1b[32m●\x1b[0m \x1b[33me37e3f3d\x1b[0m  \x1b[32muser\x1b[0m             after resume (esc)
  \x1b[32m●\x1b[0m \x1b[33m32512cc7\x1b[0m  \x1b[34massistant\x1b[0m        \x1b[32m<leaf> \x1b[0mecho: after resume (esc)
  $ xylem tree $SCENARIO_ID --kind compaction --kind label
  \x1b[33m01a1f9f7-22cb-72e7-96e0-96825857127f\x1b[0m: \x1b[1mscenario one\x1b[0m, 31 entries, 2 tips (esc)
  \x1b[32m●\x1b[0m \x1b[33mb8ef64c6\x1b[0m  \x1b[36msession_info\x1b[0m  scenario one (esc)
  \x1b[2m… 4 entries\x1b[0m (esc)
  \x1b[32m●\x1b[0m \x1b[33m8d16e680\x1b[0m  \x1b[34massistant\x1b[0m     echo: first question (esc)
  \x1b[2m├─\x1b[0m\x1b[2m… 5 entries (1 label, 1 state change)\x1b[0m (esc)
  \x1b[2m│ \x1b[0m\x1b[2m○\x1b[0m \x1b[33mc3ce1abe\x1b[0m  \x1b[36mlabel\x1b[0m         after-block on 6f7578e6 (esc)
  \x1b[2m│ \x1b[0m\x1b[2m… 4 entries (1 state change)\x1b[0m (esc)
  \x1b[2m│ \x1b[0m\x1b[2m○\x1b[0m \x1b[33m6fd8ed9e\x1b[0m  \x1b[34massistant\x1b[0m     done: Successfully wrote to ok.txt (esc)
  \x1b[2m… 9 entries (1 state change)\x1b[0m (esc)
  \x1b[32m●\x1b[0m \x1b[33md8b2463f\x1b[0m  \x1b[36mcompaction\x1b[0m    ## Goal Faux summary #25 ## Progress - summarised 585… (esc)
  \x1b[2m… 3 entries\x1b[0m (esc)
  \x1b[32m●\x1b[0m \x1b[33m32512cc7\x1b[0m  \x1b[34massistant\x1b[0m     \x1b[32m<leaf> \x1b[0mecho: after resume (esc)
  $ xylem tree $SCENARIO_ID --family
  \x1b[2mSESSION\x1b[0m                \x1b[2mOWN\x1b[0m  \x1b[2mSHARED\x1b[0m  \x1b[2mFORKED AT\x1b[0m    \x1b[2mREADONLY\x1b[0m  \x1b[2mLEAF\x1b[0m  \x1b[2mNAME\x1b[0m (esc)
  \x1b[33m● 01a1f9f7-22cb\x1b[0m         31       -  -            \x1b[31mon\x1b[0m          \x1b[2m2h\x1b[0m  \x1b[1mscenario one\x1b[0m (esc)
  \x1b[33m├─○ 01a1f9f7-23f3\x1b[0m        2      18  \x1b[33m8db136e6\x1b[0m     \x1b[31mon\x1b[0m          \x1b[2m2h\x1b[0m  \x1b[1mscenario one\x1b[0m (esc)
  \x1b[33m│ └─○ 01a1f9f7-2412\x1b[0m      2       6  \x1b[33m8d16e680\x1b[0m     off         \x1b[2m2h\x1b[0m  \x1b[1mscenario one\x1b[0m (esc)
  \x1b[33m│   └─○ 01a1f9f7-242a\x1b[0m    2       4  \x1b[33m6bc7b764\x1b[0m     off         \x1b[2m2h\x1b[0m  \x1b[1mscenario one\x1b[0m (esc)
  \x1b[33m├─○ 01a1f9f7-247a\x1b[0m        6    none  -            off         \x1b[2m2h\x1b[0m  - (esc)
  \x1b[33m└─○ 01a1f9f7-248c\x1b[0m        6    none  -            off         \x1b[2m2h\x1b[0m  - (esc)
  $ xylem log $SCENARIO_ID
  20  \x1b[33m32512cc7\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[34massistant\x1b[0m        \x1b[32m<leaf>\x1b[0m echo: after resume (esc)
  19  \x1b[33me37e3f3d\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[32muser\x1b[0m             after resume (esc)
  18  \x1b[33m8db136e6\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[34massistant\x1b[0m        echo: after compaction (esc)
  17  \x1b[33m4f9ef798\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[32muser\x1b[0m             after compaction (esc)
  16  \x1b[33md8b2463f\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[36mcompaction\x1b[0m       ## Goal Faux summary #25 ## Progres…\x1b[2m  6.1 KiB\x1b[0m (esc)
  15  \x1b[33m63ff5e92\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[34massistant\x1b[0m        word0 word1 word2 word3 word4 word5…\x1b[2m  4.2 KiB\x1b[0m (esc)
  14  \x1b[33mb0bc11ca\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[32muser\x1b[0m             !big 500 (esc)
  13  \x1b[33m7e89d41d\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[34massistant\x1b[0m        word0 word1 word2 word3 word4 word5…\x1b[2m  5.0 KiB\x1b[0m (esc)
  12  \x1b[33m7c1eb7ea\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[32muser\x1b[0m             !big 600 (esc)
  11  \x1b[33m54d08232\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[34massistant\x1b[0m        echo: branch B second (esc)
  10  \x1b[33md3fe142d\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[32muser\x1b[0m             branch B second (esc)
   9  \x1b[33m3dc585ab\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[36mcustom:readonly\x1b[0m  {"enabled":true} (esc)
   8  \x1b[33m5b8612f6\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[34massistant\x1b[0m        echo: branch B question (esc)
   7  \x1b[33md3300e75\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[32muser\x1b[0m             branch B question (esc)
   6  \x1b[33m8d16e680\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[34massistant\x1b[0m        echo: first question (esc)
   5  \x1b[33m15efa3b4\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[32muser\x1b[0m             first question (esc)
   4  \x1b[33m6bc7b764\x1b[0m  \x1b[2m2h\x1b[0m  system           You are an expert coding assistant …\x1b[2m  5.6 KiB\x1b[0m (esc)
   3  \x1b[33md6a8b13d\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[36mthinking_level…\x1b[0m  off (esc)
   2  \x1b[33mca6c99db\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[36mmodel_change\x1b[0m     fauxhost/faux-1 (esc)
   1  \x1b[33mb8ef64c6\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[36msession_info\x1b[0m     scenario one (esc)
  $ xylem log $SCENARIO_ID --kind custom:readonly --kind compaction
  16  \x1b[33md8b2463f\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[36mcompaction\x1b[0m       ## Goal Faux summary #25 ## Progres…\x1b[2m  6.1 KiB\x1b[0m (esc)
   9  \x1b[33m3dc585ab\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[36mcustom:readonly\x1b[0m  {"enabled":true} (esc)
  $ xylem log $SCENARIO_ID --full -n 4
  \x1b[33m32512cc7\x1b[0m  \x1b[34mmessage assistant\x1b[0m  \x1b[32m<leaf>\x1b[0m (esc)
  \x1b[2m2026-11-20 17:18:05 (2h ago), depth 20, 445 B\x1b[0m (esc)
  
      echo: after resume
  
  \x1b[33me37e3f3d\x1b[0m  \x1b[32mmessage user\x1b[0m (esc)
  \x1b[2m2026-11-20 17:18:05 (2h ago), depth 19, 103 B\x1b[0m (esc)
  
      after resume
  
  \x1b[33m8db136e6\x1b[0m  \x1b[34mmessage assistant\x1b[0m (esc)
  \x1b[2m2026-11-20 17:18:05 (2h ago), depth 18, 447 B\x1b[0m (esc)
  
      echo: after compaction
  
  \x1b[33m4f9ef798\x1b[0m  \x1b[32mmessage user\x1b[0m (esc)
  \x1b[2m2026-11-20 17:18:05 (2h ago), depth 17, 107 B\x1b[0m (esc)
  
      after compaction
  $ xylem show $SCENARIO_ID:6f7578e6
  \x1b[2mentry\x1b[0m     \x1b[33m6f7578e6\x1b[0m (esc)
  \x1b[2mparent\x1b[0m    \x1b[33mbe4cd5e4\x1b[0m (esc)
  \x1b[2mchildren\x1b[0m  \x1b[33mc3ce1abe\x1b[0m (esc)
  \x1b[2mkind\x1b[0m      \x1b[34mmessage assistant\x1b[0m (esc)
  \x1b[2mlabel\x1b[0m     \x1b[35mafter-block\x1b[0m (esc)
  \x1b[2mtime\x1b[0m      2026-11-20 17:18:05.684 (2h ago) (esc)
  \x1b[2mplace\x1b[0m     depth 11, branch 1, lsn 12 (esc)
  \x1b[2mcheck\x1b[0m     1a5f17bb25b1c96d (esc)
  \x1b[2mpayload\x1b[0m   491 B of json, imported (esc)
  
      done: Readonly mode: write/edit disabled. Use /readonly to disable
  
  \x1b[2mapi\x1b[0m               "openai-completions" (esc)
  \x1b[2mprovider\x1b[0m          "fauxhost" (esc)
  \x1b[2mmodel\x1b[0m             "faux-1" (esc)
  \x1b[2musage\x1b[0m             {"input":1530,"output":17,"cacheRead":0,"cacheWrite":0,"rea… (esc)
  \x1b[2mstopReason\x1b[0m        "stop" (esc)
  \x1b[2mtimestamp\x1b[0m         1795195085671 (esc)
  \x1b[2mresponseId\x1b[0m        "cc-18" (esc)
  \x1b[2mrawStopReason\x1b[0m     "stop" (esc)
  $ xylem show $SCENARIO_ID:88fe2aff
  \x1b[2mentry\x1b[0m     \x1b[33m88fe2aff\x1b[0m (esc)
  \x1b[2mparent\x1b[0m    \x1b[33m8d16e680\x1b[0m (esc)
  \x1b[2mchildren\x1b[0m  \x1b[33m26de9cb1\x1b[0m (esc)
  \x1b[2mkind\x1b[0m      \x1b[36mcustom:readonly\x1b[0m (esc)
  \x1b[2mtime\x1b[0m      2026-11-20 17:18:05.655 (2h ago) (esc)
  \x1b[2mplace\x1b[0m     depth 7, branch 1, lsn 8 (esc)
  \x1b[2mcheck\x1b[0m     af6d236705e4a350 (esc)
  \x1b[2mpayload\x1b[0m   10 B of msgpack, imported (esc)
  
      {"enabled":true}
  $ xylem branches $SCENARIO_ID
  \x1b[2mTIP\x1b[0m       \x1b[2mAGE\x1b[0m  \x1b[2mDEPTH\x1b[0m  \x1b[2mFORKED AT\x1b[0m  \x1b[2mREADONLY\x1b[0m  \x1b[2mNUDGE\x1b[0m            \x1b[2mSAYS\x1b[0m (esc)
  \x1b[33m32512cc7\x1b[0m   \x1b[2m2h\x1b[0m     20  \x1b[33m8d16e680\x1b[0m   \x1b[31mon\x1b[0m        due: on  \x1b[32m<leaf>\x1b[0m  assistant: echo: af\xe2\x80\xa6 (esc)
  \x1b[33m6fd8ed9e\x1b[0m   \x1b[2m2h\x1b[0m     17  -          off       -                assistant: done: Su\xe2\x80\xa6 (esc)
  $ indent xylem diff $SCENARIO_ID:after-block :@
    \x1b[31m<\x1b[0m \x1b[33m01a1f9f7-22cb-72e7-96e0-96825857127f\x1b[0m:\x1b[33m6f7578e6\x1b[0m  depth 11  \x1b[2m2h ago\x1b[0m  \x1b[35m[after-block]\x1b[0m (esc)
    \x1b[32m>\x1b[0m \x1b[33m01a1f9f7-22cb-72e7-96e0-96825857127f\x1b[0m:\x1b[33m32512cc7\x1b[0m  depth 20  \x1b[2m2h ago\x1b[0m  \x1b[32m<leaf>\x1b[0m (esc)
    = \x1b[33m8d16e680\x1b[0m  depth 6  \x1b[2m2h ago\x1b[0m  shared (esc)
    
    \x1b[31m<\x1b[0m \x1b[1m5 more entries\x1b[0m (esc)
    \x1b[31m<\x1b[0m  7  \x1b[33m88fe2aff\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[36mcustom:readonly\x1b[0m  {"enabled":true} (esc)
    \x1b[31m<\x1b[0m  8  \x1b[33m26de9cb1\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[32muser\x1b[0m             !tool write {"path":"ro.txt","content":"no… (esc)
    \x1b[31m<\x1b[0m  9  \x1b[33mfdf4cbd2\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[34massistant\x1b[0m        \x1b[36mwrite(ro.txt)\x1b[0m (esc)
    \x1b[31m<\x1b[0m 10  \x1b[33mbe4cd5e4\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[31mtoolResult\x1b[0m       \x1b[31mwrite error:\x1b[0m Readonly mode: write/edit dis… (esc)
    \x1b[31m<\x1b[0m 11  \x1b[33m6f7578e6\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[34massistant\x1b[0m        \x1b[35m[after-block]\x1b[0m done: Readonly mode: write/e… (esc)
    
    \x1b[32m>\x1b[0m \x1b[1m14 more entries\x1b[0m (esc)
    \x1b[32m>\x1b[0m  7  \x1b[33md3300e75\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[32muser\x1b[0m             branch B question (esc)
    \x1b[32m>\x1b[0m  8  \x1b[33m5b8612f6\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[34massistant\x1b[0m        echo: branch B question (esc)
    \x1b[32m>\x1b[0m  9  \x1b[33m3dc585ab\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[36mcustom:readonly\x1b[0m  {"enabled":true} (esc)
    \x1b[32m>\x1b[0m 10  \x1b[33md3fe142d\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[32muser\x1b[0m             branch B second (esc)
    \x1b[32m>\x1b[0m … 6 entries (esc)
    \x1b[32m>\x1b[0m 17  \x1b[33m4f9ef798\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[32muser\x1b[0m             after compaction (esc)
    \x1b[32m>\x1b[0m 18  \x1b[33m8db136e6\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[34massistant\x1b[0m        echo: after compaction (esc)
    \x1b[32m>\x1b[0m 19  \x1b[33me37e3f3d\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[32muser\x1b[0m             after resume (esc)
    \x1b[32m>\x1b[0m 20  \x1b[33m32512cc7\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[34massistant\x1b[0m        \x1b[32m<leaf>\x1b[0m echo: after resume (esc)
    
    \x1b[2mreadonly\x1b[0m  = \x1b[31mon\x1b[0m   decided by \x1b[33m88fe2aff\x1b[0m and by \x1b[33m3dc585ab\x1b[0m (esc)
    \x1b[2mnudge\x1b[0m     = due: readonly went on (esc)
    \x1b[2msequence\x1b[0m  = none (esc)
    \x1b[2mtodo\x1b[0m      = none (esc)
    \x1b[2mmark\x1b[0m      = none (esc)
  [1]
  $ indent xylem diff $SCENARIO_ID $SCENARIO_ID
    \x1b[31m<\x1b[0m \x1b[33m01a1f9f7-22cb-72e7-96e0-96825857127f\x1b[0m:\x1b[33m32512cc7\x1b[0m  depth 20  \x1b[2m2h ago\x1b[0m  \x1b[32m<leaf>\x1b[0m (esc)
    \x1b[32m>\x1b[0m \x1b[33m01a1f9f7-22cb-72e7-96e0-96825857127f\x1b[0m:\x1b[33m32512cc7\x1b[0m  depth 20  \x1b[2m2h ago\x1b[0m  \x1b[32m<leaf>\x1b[0m (esc)
    = \x1b[33m32512cc7\x1b[0m  depth 20  \x1b[2m2h ago\x1b[0m  shared (esc)
    
    \x1b[2mreadonly\x1b[0m  = \x1b[31mon\x1b[0m   decided by \x1b[33m3dc585ab\x1b[0m (esc)
    \x1b[2mnudge\x1b[0m     = due: readonly went on (esc)
    \x1b[2msequence\x1b[0m  = none (esc)
    \x1b[2mtodo\x1b[0m      = none (esc)
    \x1b[2mmark\x1b[0m      = none (esc)
  $ xylem state $SCENARIO_ID
  \x1b[2msession\x1b[0m    01a1f9f7-22cb-72e7-96e0-96825857127f (esc)
  \x1b[2mat\x1b[0m         \x1b[33m32512cc7\x1b[0m, depth 20 (esc)
  \x1b[2mevent\x1b[0m      resume (esc)
  \x1b[2mreadonly\x1b[0m   \x1b[31mon\x1b[0m   decided by \x1b[33m3dc585ab\x1b[0m (esc)
  \x1b[2mnudge\x1b[0m      due: readonly went on (esc)
  \x1b[2msequence\x1b[0m   none (esc)
  \x1b[2mtodo\x1b[0m       none (esc)
  \x1b[2mmark\x1b[0m       none (esc)
  $ xylem state $SCENARIO_ID --explain --event session_tree --previous-readonly off
  \x1b[2msession\x1b[0m    01a1f9f7-22cb-72e7-96e0-96825857127f (esc)
  \x1b[2mat\x1b[0m         \x1b[33m32512cc7\x1b[0m, depth 20 (esc)
  \x1b[2mevent\x1b[0m      session_tree, readonly was off before (esc)
  \x1b[2mreadonly\x1b[0m   \x1b[31mon\x1b[0m   decided by \x1b[33m3dc585ab\x1b[0m (esc)
             custom:readonly {"enabled":true}, depth 9, 2026-11-20 17:18:05
  \x1b[2mnudge\x1b[0m      due: readonly went on (esc)
             the path has no delivered nudge
  \x1b[2msequence\x1b[0m   none (esc)
  \x1b[2mtodo\x1b[0m       none (esc)
  \x1b[2mmark\x1b[0m       none (esc)
  \x1b[2mlooked at\x1b[0m  3 entries (esc)
  \x1b[2mdecoded\x1b[0m    1 payload, 10 B (esc)
  \x1b[2mread\x1b[0m       3 records of the log, 164 B (esc)
  \x1b[2m\x1b[0m           3 gets, 0 seeks, 0 steps (esc)
  $ xylem state $SCENARIO_ID:none --flag-readonly
  \x1b[2msession\x1b[0m    01a1f9f7-22cb-72e7-96e0-96825857127f (esc)
  \x1b[2mat\x1b[0m         none: the path is empty (esc)
  \x1b[2mevent\x1b[0m      resume, flag --readonly (esc)
  \x1b[2mreadonly\x1b[0m   \x1b[31mon\x1b[0m   decided by the flag (esc)
  \x1b[2mnudge\x1b[0m      due: readonly went on (esc)
  \x1b[2msequence\x1b[0m   none (esc)
  \x1b[2mtodo\x1b[0m       none (esc)
  \x1b[2mmark\x1b[0m       none (esc)
  $ xylem state $SCENARIO_ID:@^13 --scan --explain
  \x1b[2msession\x1b[0m    01a1f9f7-22cb-72e7-96e0-96825857127f (esc)
  \x1b[2mat\x1b[0m         \x1b[33m7e89d41d\x1b[0m, depth 13 (esc)
  \x1b[2mevent\x1b[0m      resume (esc)
  \x1b[2mreadonly\x1b[0m   \x1b[31mon\x1b[0m   decided by \x1b[33m3dc585ab\x1b[0m (esc)
             custom:readonly {"enabled":true}, depth 9, 2026-11-20 17:18:05
  \x1b[2mnudge\x1b[0m      due: readonly went on (esc)
             the path has no delivered nudge
  \x1b[2msequence\x1b[0m   none (esc)
  \x1b[2mtodo\x1b[0m       none (esc)
  \x1b[2mmark\x1b[0m       none (esc)
  \x1b[2mlooked at\x1b[0m  13 entries (esc)
  \x1b[2mdecoded\x1b[0m    1 payload, 10 B (esc)
  \x1b[2mread\x1b[0m       15 records of the log, 704 B (esc)
  \x1b[2m\x1b[0m           2 gets, 2 seeks, 11 steps (esc)
  $ xylem blame $SCENARIO_ID:6fd8ed9e readonly
  \x1b[32moff\x1b[0m  13  \x1b[33md134ab3f\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[36mcustom:readonly\x1b[0m  {"enabled":false} (esc)
  \x1b[31mon\x1b[0m    7  \x1b[33m88fe2aff\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[36mcustom:readonly\x1b[0m  {"enabled":true} (esc)
  $ xylem blame $SCENARIO_ID nudge --all
  due: on  9  \x1b[33m3dc585ab\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[36mcustom:readonly\x1b[0m  {"enabled":true} (esc)
  $ xylem blame $SCENARIO_ID sequence
  xylem: blame: no entry of the path changes sequence
  [1]
  $ xylem blame $SCENARIO_ID
  readonly  \x1b[31mon\x1b[0m       9  \x1b[33m3dc585ab\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[36mcustom:readonly\x1b[0m  {"enabled":true} (esc)
  nudge     due: on  9  \x1b[33m3dc585ab\x1b[0m  \x1b[2m2h\x1b[0m  \x1b[36mcustom:readonly\x1b[0m  {"enabled":true} (esc)
  $ xylem blame $SCENARIO_ID redonly
  xylem: blame: WHAT is readonly, nudge, sequence, todo or mark, not 'redonly'; did you mean 'readonly'? (see `xylem blame --help`)
  [2]
  $ xylem moves $SCENARIO_ID
  xylem: moves: the leaf of the session was never moved
  $ xylem files $SCENARIO_ID
  xylem: files: no tool read or wrote a file on the path
  $ xylem watch $SCENARIO_ID --last 4 -n 0
  \x1b[33m4f9ef798\x1b[0m  \x1b[2m17:18:05\x1b[0m  \x1b[32muser\x1b[0m        after compaction (esc)
  \x1b[33m8db136e6\x1b[0m  \x1b[2m17:18:05\x1b[0m  \x1b[34massistant\x1b[0m   echo: after compaction (esc)
  \x1b[33me37e3f3d\x1b[0m  \x1b[2m17:18:05\x1b[0m  \x1b[32muser\x1b[0m        after resume (esc)
  \x1b[33m32512cc7\x1b[0m  \x1b[2m17:18:05\x1b[0m  \x1b[34massistant\x1b[0m   echo: after resume (esc)
  $ xylem verify
  \x1b[32mno problems\x1b[0m: 8 sessions, 10 branches, 71 entries, 261 rows checked (esc)
  $ xylem backup copy | without_figures | sed -n '/to restore/,$p'
  to restore the store, copy the backup into a new directory, never over a store
    that is in use:
    cp -rp */1/copy NEW_DIRECTORY (glob)
    xylem -s NEW_DIRECTORY verify
  $ xylem backup copy
  xylem: backup: copy exists already: the backup needs a directory of its own
  [4]
  $ xylem compact
  xylem: compact: standard input is not a terminal: give --yes (nothing was done) (see `xylem compact --help`)
  [2]
  $ COLUMNS= xylem compact --dry-run | without_figures
  store: SIZE, SIZE when compacted: SIZE would be given back
  $ xylem repair /dev/null
  xylem: repair: /dev/null exists already: the new store needs a directory of its own
  [4]
  $ xylem stat | without_figures
  \x1b[2mstore\x1b[0m     store (esc)
  *[2mformat*[0m    3, * (glob)
  \x1b[2mfile\x1b[0m      SIZE, of which SIZE free to be used again (esc)
  \x1b[2mmap\x1b[0m       SIZE; 1 of 1,022 reader slots taken (esc)
  \x1b[2msessions\x1b[0m  8 (esc)
  \x1b[2mentries\x1b[0m   71 on 10 branches, 13 kinds (esc)
  \x1b[2mpayloads\x1b[0m  SIZE, 694.9 bytes an entry (esc)
  \x1b[2mlines\x1b[0m     SIZE kept beside payloads, 0.8 bytes an entry (esc)
  \x1b[2mheads\x1b[0m     SIZE of links and heads, 5.8 bytes an entry (esc)
  
  \x1b[2mTABLE\x1b[0m        \x1b[2mROWS\x1b[0m     \x1b[2mBYTES\x1b[0m  \x1b[2mDEPTH\x1b[0m  \x1b[2mBYTES A ROW\x1b[0m (esc)
  \x1b[36mmeta\x1b[0m            2   FIGURES (esc)
  \x1b[36msessions\x1b[0m        8   FIGURES (esc)
  \x1b[36msession_ids\x1b[0m     8   FIGURES (esc)
  \x1b[36mbranches\x1b[0m       10   FIGURES (esc)
  \x1b[36mlog\x1b[0m            71  FIGURES (esc)
  \x1b[36mids\x1b[0m            71   FIGURES (esc)
  \x1b[36mkinds\x1b[0m          26   FIGURES (esc)
  \x1b[36mfeed\x1b[0m           19   FIGURES (esc)
  \x1b[36mmoves\x1b[0m           0       FIGURES (esc)
  \x1b[36msources\x1b[0m         8   FIGURES (esc)
  \x1b[36mquarantine\x1b[0m      1   FIGURES (esc)
  \x1b[36moutlines\x1b[0m       37   FIGURES (esc)
  \x1b[36msides\x1b[0m           0       FIGURES (esc)
  $ xylem quarantine 01a1fa04-8967
  \x1b[2mLINE\x1b[0m  \x1b[2mOFFSET\x1b[0m  \x1b[2mBYTES\x1b[0m  \x1b[2mREASON\x1b[0m     \x1b[2mFILE\x1b[0m                                 \x1b[2mBEGINS WITH\x1b[0m (esc)
     \x1b[33m3\x1b[0m     319    438  \x1b[31mduplicate\x1b[0m  …/damaged-orphan-and-duplicate.jso…  {"type":"m… (esc)
  $ xylem secrets
  0 secrets of known forms in 0 places
  $ xylem lease status
  xylem: lease: no session has an owner
  $ xylem judge -p confirm ls
  \x1b[32mallow\x1b[0m: nothing in it is refused (esc)
  $ xylem judge -p confirm --explain 'ls;(cat|sudo);ls'
  \x1b[33mask\x1b[0m: sudo runs with another user's rights (esc)
  
    ls;(cat|\x1b[33msudo\x1b[0m);ls (esc)
            \x1b[33m^^^^\x1b[0m (esc)
  
    \x1b[32mallow\x1b[0m  ls                \x1b[2mallowed\x1b[0m (esc)
    \x1b[32mallow\x1b[0m    cat             \x1b[2mallowed\x1b[0m (esc)
    \x1b[33mask\x1b[0m      sudo            \x1b[2msudo\x1b[0m (esc)
    \x1b[32mallow\x1b[0m  ls                \x1b[2mallowed\x1b[0m (esc)
  [8]
  $ xylem hook nothing
  xylem: hook: there is no hook 'nothing': expected permission-request or pre-tool-use (see `xylem hook --help`)
  [1]
  $ xylem gate $SCENARIO_ID </dev/null
  {"schema":1,"block":true,"reason":"Readonly mode: the tool call cannot be read, so it is blocked. Use /readonly to disable.\nJSON is not well-formed at byte 0: parse error: premature EOF","readonly":true,"tool":null,"verdict":null,"rule":null,"why":null,"offending":null}
  [1]
  $ xylem gate $SCENARIO_ID:none </dev/null
  {"schema":1,"block":false,"reason":null,"readonly":false,"tool":null,"verdict":null,"rule":null,"why":null,"offending":null}
  $ xylem help sessions
  usage: xylem sessions [--dir DIR] [--name TEXT] [--since TIME] [--until TIME]
                        [--sort ORDER] [--reverse] [-n N] [--all|--deleted]
                        [--file-gone] [--runs] [--redact-secrets]
                        [--redact-pattern TEXT|--redact-pattern-file FILE]
                        [--pick|--json|--jsonl]
  
  List the sessions, the last active first.
  
  AGE is the age of the leaf, or of a session without entries. NAME is the name,
  or in quotes the first words of the first message; LAST is the last message. On
  a terminal, forks and clones stand below their source, unless --sort gives
  another order. A session without its file is `file gone`, for example deleted in
  the program that wrote the file; `xylem delete --file-gone` deletes such
  sessions. `leased`: a program has the session open. `follows`: another store
  owns the session (`xylem unbundle`). The ledgers of runs (`xylem help sequence`)
  are left out without --runs. --pick asks for a session of the list, and prints
  its id: `xylem open -- ID`.
  
  options:
    -a, --all               also deleted sessions, and sessions whose import has
                            not finished
        --runs              also the ledgers of runs
        --deleted           only deleted sessions
        --file-gone         only sessions whose session file is gone
    -d, --dir DIR           only sessions whose directory is DIR or below DIR
        --name TEXT         only sessions with TEXT in their name, in upper or
                            lower case
        --since TIME        only sessions last active at TIME or later: 2h, 3d,
                            yesterday, 'monday 14:00', 2026-11-20
        --until TIME        only sessions last active at TIME or before
        --sort ORDER        sort by active (default), created, name, entries or
                            directory
    -r, --reverse           reverse the order
        --pick              choose a session, and print its id; with fzf if there
                            is one
    -n, --number N          at most N sessions
        --redact-secrets    show no secret: `[redacted: KIND]` stands in its place
                            (xylem help secrets)
        --redact-pattern TEXT
                            show no match of the regular expression TEXT
        --redact-pattern-file FILE
                            show no match of the regular expressions in FILE
        --json              print one JSON document
        --jsonl             print one JSON document a line
  
  options of every command:
    -s, --store DIR         the store's directory
        --color WHEN        auto (on a terminal), always or never
        --no-pager          do not start a pager
        --no-lock           read without locks, while nobody writes to the store
        --allow-network-fs  use a store on a network file system
        --wait SECONDS      wait at most this long for another writer (default:
                            10)
    -h, --help              show this help
    -V, --version           show the version
  $ xylem version
  xylem 0.1.0
  $ xylem complete -- show $SCENARIO_ID 88
  $ xylem log no-such-session
  xylem: log: there is no session and no entry 'no-such-session'; `xylem -s store sessions` lists the sessions
  [3]
  $ xylem log $SCENARIO_ID no-such-argument
  xylem: log: a place is one word: '01a1f9f7-22cb-72e7-96e0-96825857127f:no-such-argument' for an entry (see `xylem log --help`)
  [2]
  $ xylem tre $SCENARIO_ID
  xylem: there is no command 'tre'; did you mean 'tree'? (see `xylem help`)
  [2]
  $ xylem init
  store is a xylem store already
  $ xylem import $SCENARIO $DAMAGED
  \x1b[2munchanged\x1b[0m        0 added                 …9f7-22cb-72e7-96e0-96825857127f.jsonl (esc)
  \x1b[2munchanged\x1b[0m        0 added                 …ls/damaged-orphan-and-duplicate.jsonl (esc)
  2 files: 2 unchanged; 0 entries added, 0 lines put into quarantine, 0 problems
  $ xylem append $SCENARIO_ID --kind note --id new-entry
  xylem: append: a file keeps the session, and would lack the change: in pi, an extension calls pi.appendEntry() (--only-in-store changes the store alone; the file is */fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl) (glob)
  [4]
  $ xylem append $SCENARIO_ID --kind note --id new-entry --only-in-store
  new-entry
  $ xylem label $SCENARIO_ID:new-entry here
  xylem: label: a file keeps the session, and would lack the change: in pi, press shift+l on the entry in /tree (--only-in-store changes the store alone; the file is */fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl) (glob)
  [4]
  $ xylem rename $SCENARIO_ID renamed
  xylem: rename: a file keeps the session, and would lack the change: in pi, type /name NAME (--only-in-store changes the store alone; the file is */fixtures/sessions/pi-0.87.1/rpc-scenario/2026-11-20T17-18-05-515Z_01a1f9f7-22cb-72e7-96e0-96825857127f.jsonl) (glob)
  [4]
  $ xylem navigate $SCENARIO_ID:8d16e680 --only-in-store
  leaf: new-entry -> 8d16e680
  $ xylem navigate $SCENARIO_ID:none --only-in-store
  leaf: 8d16e680 -> none
  $ xylem navigate $SCENARIO_ID:@{1}~1 --reason because-it-was-better-there --only-in-store
  leaf: none -> 15efa3b4
  $ XYLEM_NOW=2020-01-01T00:00:00Z
  $ xylem moves $SCENARIO_ID
  \x1b[2mNAME\x1b[0m  \x1b[2mAGE\x1b[0m  \x1b[2mFROM\x1b[0m                       \x1b[2mTO\x1b[0m                        \x1b[2mREASON\x1b[0m (esc)
  @{1}   \x1b[2m0s\x1b[0m  \x1b[33mnone\x1b[0m                       \x1b[33m15efa3b4\x1b[0m  user: first q…  \x1b[35mbecause-it-wa…\x1b[0m (esc)
  @{2}   \x1b[2m0s\x1b[0m  \x1b[33m8d16e680\x1b[0m   assistant: ec…  \x1b[33mnone\x1b[0m (esc)
  @{3}   \x1b[2m0s\x1b[0m  \x1b[33mnew-entry\x1b[0m                  \x1b[33m8d16e680\x1b[0m  assistant: ec… (esc)
  $ XYLEM_NOW=2026-11-20T19:30:00Z
  $ xylem append reader --create --kind custom:file-reads --id noted --data "$READS"
  noted
  $ xylem files reader --noted
  \x1b[2mBY\x1b[0m     \x1b[2mAGE\x1b[0m      \x1b[2mSIZE\x1b[0m  \x1b[2mFILE\x1b[0m (esc)
  write  \x1b[2m16m\x1b[0m       7 B  /no-such-directory/f (esc)
  read   \x1b[2m50m\x1b[0m  20.0 KiB  /no-such-directory/of-the-project/documents/notes.md (esc)
  $ xylem files reader --check /no-such-directory/f
  \x1b[2mfile\x1b[0m    /no-such-directory/f (esc)
  \x1b[2mnoted\x1b[0m   write, 2026-11-20 19:13:20, 7 B (esc)
  \x1b[2medit\x1b[0m    \x1b[31mdeleted\x1b[0m (esc)
  \x1b[2mwrite\x1b[0m   \x1b[31mdeleted\x1b[0m (esc)
  Blocked: /no-such-directory/f was deleted after it was read.
  [1]
  $ xylem fork $SCENARIO_ID:6f7578e6 --id fork
  fork
  xylem: fork: 1 label of the source lies outside of the shared path and was left behind (--labels appends such labels)
  $ xylem clone fork --id clone
  clone
  $ xylem label clone:6f7578e6 here
  label of 6f7578e6: none -> here
  $ xylem label clone:here
  label of 6f7578e6: here -> none
  $ xylem rename clone renamed
  name: scenario one -> renamed
  $ xylem delete fork --dry-run
  would delete session fork (scenario one, its leaf has depth 11)
  $ xylem delete fork --yes
  deleted session fork (scenario one, its leaf has depth 11)
  $ xylem redact clone:6f7578e6 --reason a-key --drop-hash --dry-run | grep -v 'fixtures\|the session file$'
  would redact entry 6f7578e6 of session clone
  to take  491 B of 1 entry; in 3 sessions
  hashes   1 to drop, and the checks of 9 entries behind to make anew
  Not reached; the text may still be in:
    other stores, and backups of this one
    snapshots of the file system
    swap space and core dumps
    spare blocks of an SSD
    summaries, labels, names and other entries that repeat the text
  $ xylem bundle clone -q >bundle
  $ xylem -s there unbundle --check bundle | sed -E 's/[0-9a-f-]{36}/STORE/' | without_figures
  \x1b[2mSESSION\x1b[0m        \x1b[2mCHANGES\x1b[0m  \x1b[2mENTRIES\x1b[0m  \x1b[2mDIRECTORY\x1b[0m (esc)
  \x1b[36m01a1f9f7-22cb\x1b[0m       12       11  /home/dev/proj (shared) (esc)
  \x1b[36mclone\x1b[0m                4        3  /home/dev/proj (esc)
  2 sessions; 16 changes with 14 entries
  from store STORE, made 2026-11-20 19:30:00;
    2 parts, SIZE before compression
  $ xylem -s there unbundle --map /home/dev=/home/ann bundle
  xylem: unbundle: there is a new xylem store
  \x1b[2mOUTCOME\x1b[0m  \x1b[2mSESSION\x1b[0m        \x1b[2mCHANGES\x1b[0m  \x1b[2mENTRIES\x1b[0m  \x1b[2mDIRECTORY\x1b[0m (esc)
  new      \x1b[36m01a1f9f7-22cb\x1b[0m       12       11  /home/ann/proj (from /home/dev/proj) \xe2\x80\xa6 (esc)
  new      \x1b[36mclone\x1b[0m                4        3  /home/ann/proj (from /home/dev/proj) (esc)
  2 sessions: 2 new; 16 changes with 14 entries
  $ xylem -s there sessions
  \x1b[2mSESSION\x1b[0m        \x1b[2mAGE\x1b[0m  \x1b[2mENTRIES\x1b[0m  \x1b[2mSTATE\x1b[0m    \x1b[2mDIRECTORY\x1b[0m       \x1b[2mNAME\x1b[0m          \x1b[2mLAST\x1b[0m (esc)
  \x1b[33m01a1f9f7-22cb\x1b[0m   \x1b[2m2h\x1b[0m       11  \x1b[31mfollows\x1b[0m  /home/ann/proj  \x1b[1mscenario one\x1b[0m  done: Reado\xe2\x80\xa6 (esc)
  \x1b[33m\xe2\x94\x94\xe2\x94\x80clone\x1b[0m         \x1b[2m0s\x1b[0m       14  \x1b[31mfollows\x1b[0m  /home/ann/proj  \x1b[1mrenamed\x1b[0m       done: Reado\xe2\x80\xa6 (esc)
  $ xylem -s own unbundle --own bundle >/dev/null 2>&1
  $ add clone more note
  $ xylem bundle clone -q >bundle
  $ xylem -s there unbundle --dry-run bundle
  \x1b[2mOUTCOME\x1b[0m   \x1b[2mSESSION\x1b[0m  \x1b[2mCHANGES\x1b[0m  \x1b[2mENTRIES\x1b[0m  \x1b[2mDIRECTORY\x1b[0m (esc)
  extended  \x1b[36mclone\x1b[0m          5        4  /home/dev/proj (esc)
  would take 2 sessions: 1 extended, 1 equal; 17 changes with 15 entries
  $ xylem -s own unbundle bundle
  \x1b[2mOUTCOME\x1b[0m   \x1b[2mSESSION\x1b[0m  \x1b[2mCHANGES\x1b[0m  \x1b[2mENTRIES\x1b[0m  \x1b[2mDIRECTORY\x1b[0m (esc)
  diverged  \x1b[36mclone\x1b[0m          0        0  /home/dev/proj (esc)
  diverged: clone: the session clone ends at change 4 in this store, and is not
    extended: this store owns the session
  2 sessions: 1 equal, 1 diverged; 0 changes with 0 entries
  [4]
  $ xylem log fork
  xylem: log: the session fork is deleted (`xylem -s store undelete fork` brings it back)
  [3]
  $ xylem undelete fork
  undeleted session fork (scenario one, its leaf has depth 11)
  $ xylem undelete fork
  xylem: undelete: the session fork is not deleted
  [4]
  $ xylem undelete nothing
  xylem: undelete: there is no deleted session 'nothing' (`xylem -s store sessions --deleted` lists deleted sessions)
  [3]
  $ xylem delete $SCENARIO_ID --yes
  deleted session 01a1f9f7-22cb-72e7-96e0-96825857127f (scenario one, its leaf has
    depth 5)
  $ xylem sessions --deleted
  \x1b[2mSESSION\x1b[0m                   \x1b[2mAGE\x1b[0m  \x1b[2mENTRIES\x1b[0m  \x1b[2mSTATE\x1b[0m    \x1b[2mDIRECTORY\x1b[0m  \x1b[2mNAME\x1b[0m          \x1b[2mLAST\x1b[0m (esc)
  \x1b[33m01a1f9f7-22cb-72e7-96e0-96825857127f\x1b[0m   \x1b[2m2h\x1b[0m       32  \x1b[31mdeleted\x1b[0m  /home/de…  \x1b[1mscenari…\x1b[0m (esc)
  $ xylem gc --dry-run
  would free session 01a1f9f7-22cb-72e7-96e0-96825857127f: 9 entries, 3.1 KiB;
    23 shared entries stay
  would free 1 session, 9 entries, 0 branches, 29 rows, 3.1 KiB
  $ xylem gc --yes
  freed session 01a1f9f7-22cb-72e7-96e0-96825857127f: 9 entries, 3.1 KiB;
    23 shared entries stay
  freed 1 session, 9 entries, 0 branches, 29 rows, 3.1 KiB
  xylem: gc: the file keeps its size, and later writes use the freed room (`xylem -s store compact` makes the file smaller)
  $ xylem gc --yes
  nothing to free: no deleted session has data of its own
  $ xylem undelete $SCENARIO_ID
  xylem: undelete: there is no deleted session '01a1f9f7-22cb-72e7-96e0-96825857127f' (`xylem -s store sessions --deleted` lists deleted sessions)
  [3]
  $ xylem verify
  \x1b[32mno problems\x1b[0m: 10 sessions, 12 branches, 68 entries, 288 rows checked (esc)
  $ COLUMNS= xylem compact --yes --overwrite | without_figures
  store: SIZE before, SIZE after, SIZE given back, the old file overwritten
  $ verify
