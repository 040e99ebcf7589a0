#include "tests/bench/faults/driver.h"
#include "xylem/store.h"

bool faults_preparing;
bool faults_checkpoints;

const struct faults_peer faults_peers[] = {
    {"pi", &faults_pi, 0, true},
    {"jsonl", &faults_jsonl, FAULTS_JSONL_PI, false},
    {"jsonl-fsync", &faults_jsonl, FAULTS_JSONL_FSYNC, false},
    {"sqlite-normal", &faults_sqlite, FAULTS_SQLITE_NORMAL, false},
    {"sqlite-full", &faults_sqlite, FAULTS_SQLITE_FULL, false},
    {"xylem-full", &faults_xylem, XYLEM_DURABILITY_FULL, false},
    {"xylem-nometa", &faults_xylem, XYLEM_DURABILITY_NOMETA, false},
    {"xylem-none", &faults_xylem, XYLEM_DURABILITY_NONE, false},
    {"early", &faults_jsonl, FAULTS_JSONL_EARLY, false},
    {NULL, NULL, 0, false},
};
