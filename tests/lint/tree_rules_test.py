#!/usr/bin/env python3
# SPDX-License-Identifier: AGPL-3.0-or-later
"""Each rule must find what it is there for, and must leave good trees alone."""
import unittest

import tree_rules

SPDX = "// SPDX-License-Identifier: AGPL-3.0-or-later\n"


class TreeRulesTest(unittest.TestCase):
    def complains(self, rule, path, text, **more):
        return rule({path: text, **{key.replace("__", "/").replace("_dot_", "."): value for key, value in more.items()}})

    def test_include_direction(self):
        rule = tree_rules.include_direction
        for path, include in [("base/a.h", "opi/b.h"), ("opi/a.cpp", "queues/b.h"), ("opi/a.cpp", "rip_out/b.h"),
                              ("queues/a.h", "opi/b.h"), ("rip_out/a.cpp", "opi/planner.h"), ("rip_out/a.h", "spooler/b.h"),
                              ("opi/a.cpp", "a.h"), ("samples/a.cpp", "opi/planner.h"), ("opi/a.cpp", "tests/fakes/f.h")]:
            self.assertTrue(self.complains(rule, path, f'#include "{include}"\n'), (path, include))
        for path, include in [("spooler/a.cpp", "opi/planner.h"), ("rip_out/a.cpp", "opi/plan_cursor.h"),
                              ("opi/emit/a.cpp", "opi/b.h"), ("tests/opi/a_test.cpp", "queues/q.h")]:
            self.assertFalse(self.complains(rule, path, f'#include "{include}"\n'), (path, include))

    def test_third_parties(self):
        rule = tree_rules.third_parties
        for path, include in [("opi/a.cpp", "boost/asio/post.hpp"), ("opi/planner.cpp", "tiffio.h"), ("spooler/a.cpp", "sqlite3.h"),
                              ("queues/job_store.h", "sqlite3.h"), ("spooler/daemon.cpp", "boost/beast/http.hpp"),
                              ("queues/a.cpp", "thread"), ("opi/a.h", "chrono"), ("spooler/a.cpp", "ghostscript/iapi.h")]:
            self.assertTrue(self.complains(rule, path, f"#include <{include}>\n"), (path, include))
        for path, include in [("queues/sqlite_db.cpp", "sqlite3.h"), ("opi/emit/t.cpp", "tiffio.h"), ("base/clock.h", "chrono"),
                              ("samples/make_samples.cpp", "thread"), ("opi/a.cpp", "string"), ("spooler/a.h", "boost/asio/post.hpp")]:
            self.assertFalse(self.complains(rule, path, f"#include <{include}>\n"), (path, include))

    def test_machine_paths(self):
        rule = tree_rules.machine_paths
        for text in ["open('/home/anna/opispool/a')", "cd /" "root/x", "cp a /tmp/b", "see /" "work/shared/x.md"]:
            self.assertTrue(self.complains(rule, "opi/a.cpp", text), text)
        for text in ["/usr/lib/cups/backend/lpd", "a/tmp/b", "$HOME/x", "/dev/tcp/127.0.0.1/1", "jobs/" "work/x", 'spool + "/tmp/1.job"']:
            self.assertFalse(self.complains(rule, "opi/a.cpp", text), text)

    def test_file_length(self):
        self.assertTrue(self.complains(tree_rules.file_length, "opi/a.cpp", "\n" * 401))
        self.assertFalse(self.complains(tree_rules.file_length, "opi/a.cpp", "\n" * 400))

    def test_licence_line(self):
        rule = tree_rules.licence_line
        for path, text in [("a.cpp", "int x;\n"), ("a.h", "#pragma once\n" + SPDX), ("a.py", "#!/usr/bin/env python3\nx = 1\n")]:
            self.assertTrue(self.complains(rule, path, text), path)
        for path, text in [("a.cpp", SPDX), ("a.py", "#!/usr/bin/env python3\n#" + SPDX[2:]), ("a.md", "# page\n")]:
            self.assertFalse(self.complains(rule, path, text), path)

    def test_listed_in_cmake(self):
        rule = tree_rules.listed_in_cmake
        self.assertTrue(rule({"opi/a.cpp": "", "opi/CMakeLists.txt": "add(lib\n  aa.cpp\n  a.cpp.in)"}))
        self.assertTrue(rule({"opi/a.cpp": "", "opi/CMakeLists.txt": "add(lib\n  b.cpp) # a.cpp"}))
        self.assertTrue(rule({"opi/emit/a.cpp": "", "opi/CMakeLists.txt": "add(lib a.cpp)"}))
        self.assertTrue(rule({"opi/CMakeLists.txt": "file(GLOB sources *.cpp)"}))
        self.assertFalse(rule({"opi/emit/a.cpp": "", "opi/CMakeLists.txt": "add(lib\n  emit/a.cpp)"}))
        self.assertFalse(rule({"tests/fakes/a.cpp": "", "tests/opi/CMakeLists.txt": "add(lib\n  ../fakes/a.cpp)"}))
        self.assertFalse(rule({"opi/emit/a.cpp": "", "opi/emit/CMakeLists.txt": "add(lib\n  a.cpp)"}))

    def test_folder_page(self):
        self.assertTrue(tree_rules.folder_page({"opi/a.cpp": ""}))
        self.assertFalse(tree_rules.folder_page({"opi/a.cpp": "", "opi/README.md": "", "README.md": "", ".ci/run": ""}))

    def test_log_events_explained(self):
        rule, ids = tree_rules.log_events_explained, 'inline constexpr std::string_view held = "job.held";\n'
        self.assertTrue(rule({"spooler/log_events.h": ids}))
        self.assertTrue(rule({"spooler/log_events.h": ids, "spooler/man/opispoold.8": ".It job.held_back\n"}))
        self.assertFalse(rule({"spooler/log_events.h": ids, "spooler/man/opispoold.8": ".It job.held\nSomebody held it.\n"}))
        self.assertTrue(rule({"spooler/a.cpp": 'log_event(LogLevel::info, "job.held", {});'}))
        self.assertTrue(rule({"rip_out/a.cpp": 'log_event(LogLevel::info, "rip.gone", {});'}))
        self.assertFalse(rule({"rip_out/a.cpp": 'log_event(LogLevel::info, "rip.gone", {});', "spooler/man/x.8": ".It rip.gone\n"}))
        self.assertFalse(rule({"spooler/a.cpp": "log_event(LogLevel::info, log_id::job_held, {});"}))

    def test_unfinished_work(self):
        self.assertTrue(self.complains(tree_rules.unfinished_work, "opi/a.cpp", "// TO" + "DO later\n"))
        self.assertFalse(self.complains(tree_rules.unfinished_work, "opi/a.cpp", "// todos os jobs\n"))


if __name__ == "__main__":
    unittest.main()
