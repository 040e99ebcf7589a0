xylem stat: figures of the store.

  $ . "$TESTDIR/setup.sh"

Figures are a document, and a table.

  $ scenario
  $ xylem stat --json | without_figures
  {"schema":1,"store":"store","uuid":"*","format_version":3,"features":"0000000000000000","file_bytes":N,"free_bytes":N,"map_bytes":N,"page_bytes":N,"readers":N,"readers_max":1022,"oldest_reader":null,"session_count":1,"live_count":1,"deleted_count":0,"importing_count":0,"freed_session_count":0,"branch_count":2,"entry_count":31,"freed_entry_count":0,"redacting_count":0,"note_count":0,"kind_count":7,"payload_bytes":N,"line_bytes":N,"links_bytes":N,"tables":[{"name":"meta","row_count":2,"bytes":N,"depth":1},{"name":"sessions","row_count":1,"bytes":N,"depth":1},{"name":"session_ids","row_count":1,"bytes":N,"depth":1},{"name":"branches","row_count":2,"bytes":N,"depth":1},{"name":"log","row_count":31,"bytes":N,"depth":2},{"name":"ids","row_count":31,"bytes":N,"depth":1},{"name":"kinds","row_count":14,"bytes":N,"depth":1},{"name":"feed","row_count":3,"bytes":N,"depth":1},{"name":"moves","row_count":0,"bytes":N,"depth":0},{"name":"sources","row_count":1,"bytes":N,"depth":1},{"name":"quarantine","row_count":0,"bytes":N,"depth":0},{"name":"outlines","row_count":6,"bytes":N,"depth":1},{"name":"sides","row_count":0,"bytes":N,"depth":0}]} (glob)
  $ xylem stat | without_figures
  store     store
  format    3, * (glob)
  file      SIZE, of which SIZE free to be used again
  map       SIZE; 1 of 1,022 reader slots taken
  sessions  1
  entries   31 on 2 branches, 7 kinds
  payloads  SIZE, 875.0 bytes an entry
  lines     SIZE kept beside payloads, 0.0 bytes an entry
  heads     SIZE of links and heads, 4.6 bytes an entry
  
  TABLE        ROWS     BYTES  DEPTH  BYTES A ROW
  meta            2   FIGURES
  sessions        1   FIGURES
  session_ids     1   FIGURES
  branches        2   FIGURES
  log            31  FIGURES
  ids            31   FIGURES
  kinds          14   FIGURES
  feed            3   FIGURES
  moves           0       FIGURES
  sources         1   FIGURES
  quarantine      0       FIGURES
  outlines        6   FIGURES
  sides           0       FIGURES
  $ verify
