xylem export --markdown: a path for an issue or a review.

  $ . "$TESTDIR/setup.sh"

The path of a place, oldest first. Words stay, what tools say is folded.

  $ fresh 19:30
  $ say() { add s "$1" message "{\"role\":\"$2\",\"content\":$3}"; }
  $ say e1 user '"Why does <b> fail?"'
  $ say e2 assistant '[{"type":"thinking","thinking":"Let me look."},{"type":"toolCall","name":"bash","arguments":{"command":"ls -l"}}]'
  $ add s e3 message '{"role":"toolResult","toolName":"bash","isError":true,"content":[{"type":"text","text":"```\n</details>"},{"type":"image","mimeType":"image/png","data":"AAAA"}]}'
  $ say e4 assistant '"# Because\n```\nof <b>"'
  $ review() { xylem export --markdown "$@" 2>&1 | sed 's/2[0-9-]*T[0-9:.]*Z/TIME/g'; }
  $ indent review s
    ## Why does \<b\> fail?
    
    Session `s`, 4 entries.
    
    ### user, TIME, `e1`
    
    Why does &lt;b\> fail?
    
    ### assistant, TIME, `e2`
    
    <details><summary>thinking, 1 line, 12 B</summary>
    
    ```text
    Let me look.
    ```
    
    </details>
    
    calls `bash`: `ls -l`
    
    ### toolResult `bash`, failed, TIME, `e3`
    
    <details><summary>output, 2 lines, 14 B</summary>
    
    ````text
    ```
    </details>
    ````
    
    </details>
    
    not shown here: image `image/png`
    
    ### assistant, TIME, `e4`
    
    #### Because
    
    ``` text
    of <b>
    ```
    
    xylem: export: 0 strings redacted

A part of a path: the newest entries, or from one entry to another.

  $ ids() { grep '^### ' | sed 's/.*, //' | tr -d '`' | tr '\n' ' '; echo; }
  $ xylem export --markdown s -n 2 2>/dev/null | ids
  e3 e4 
  $ xylem export --markdown s:e2 s:e3 2>/dev/null | ids
  e2 e3 
  $ xylem export --markdown s:e2 :e4 -n 2 2>/dev/null | ids
  e3 e4 
  $ xylem export --markdown s:e2 2>/dev/null | ids
  e1 e2 
  $ xylem export --markdown s:e3 s:e3 2>/dev/null | ids
  e3 
  $ xylem export --markdown s:e3 s:e2
  xylem: export: 's:e3' is not on the path of 's:e2': expected the older entry first
  [3]
  $ xylem navigate s:e1 >/dev/null
  $ say f2 user '"another way"'
  $ xylem export --markdown s:e2 s:f2
  xylem: export: 's:e2' is not on the path of 's:f2': expected the older entry first
  [3]
  $ xylem export --markdown s:none
  xylem: export: there is no entry 'none'; `xylem -s store tree --all s` shows the ids
  [3]
  $ xylem export s:e1
  xylem: export: export takes a session without an entry: 's', not 's:e1'; `fork` takes an entry (see `xylem export --help`)
  [2]
  $ xylem export s s
  xylem: export: unexpected argument 's': one session at a time, -o FILE writes a file, --all DIRECTORY writes every session, --markdown takes two places (see `xylem export --help`)
  [2]
  $ xylem export s -n 2
  xylem: export: -n needs --markdown (see `xylem export --help`)
  [2]
  $ xylem export s --no-redact
  xylem: export: --no-redact needs --html or --markdown (see `xylem export --help`)
  [2]
  $ xylem export --markdown s --quarantine
  xylem: export: --markdown has no place for what --quarantine writes (see `xylem export --help`)
  [2]
  $ xylem export --markdown s --no-redact --redact-secrets
  xylem: export: --no-redact and --redact-secrets cannot be combined (see `xylem export --help`)
  [2]
  $ xylem export --markdown --all directory
  xylem: export: --markdown has no place for what --all writes (see `xylem export --help`)
  [2]

Secrets stay out, unless somebody asks for them: the text says so.

  $ say f3 user '"the key ghp_0123456789abcdefghijABCDEFGHIJ012345 is mine"'
  $ review s:f3 s:f3
  ## Why does \<b\> fail?
  
  Session `s`, 1 entry.
  
  ### user, TIME, `f3`
  
  the key \[redacted: github-token\] is mine
  
  xylem: export: 1 string redacted
  $ review s:f3 s:f3 --no-redact
  ## Why does \<b\> fail?
  
  Session `s`, 1 entry. Secrets were not looked for.
  
  ### user, TIME, `f3`
  
  the key ghp\_0123456789abcdefghijABCDEFGHIJ012345 is mine
  
  $ review s:f3 s:f3 --no-redact --redact-pattern 'is mine'
  ## Why does \<b\> fail?
  
  Session `s`, 1 entry. Secrets were not looked for.
  
  ### user, TIME, `f3`
  
  the key ghp\_0123456789abcdefghijABCDEFGHIJ012345 \[redacted\]
  
  xylem: export: 1 string redacted

A redacted entry gives its reason. A file gets the mode of its writer alone.

  $ xylem redact s:f3 --reason 'a `key`' --yes >/dev/null
  $ xylem export --markdown s:f3 s:f3 -o review.md
  xylem: export: 0 strings redacted
  $ tail -n 2 review.md
  note: `` redacted: a `key` ``
  
  $ stat -c %a review.md
  600
  $ verify

A title is cut behind what is left out: the beginning of a secret would stay.

  $ fresh
  $ say e1 user "\"$(printf '%090d' 0 | tr 0 w) ghp_0123456789abcdefghijABCDEFGHIJ012345\""
  $ review s | head -n 1
  ## wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww \[redacted: github-token\]
