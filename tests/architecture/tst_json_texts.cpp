// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_main.h"

#include <QTest>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace fs = std::filesystem;

class TstJsonTexts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void bytesThatAreNotUtf8NeverThrow();
};

/// The JSON library's dump() throws at the first byte that is not UTF-8, unless it is given a
/// replacement: all our texts are made by jsonText().
void TstJsonTexts::bytesThatAreNotUtf8NeverThrow()
{
    int seen = 0;
    for (const std::string_view room : {"app", "core", "storage", "ui"}) {
        for (const auto& entry :
             fs::recursive_directory_iterator(fs::path(CANNERY_SOURCE_DIR) / room)) {
            if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") {
                continue;
            }
            std::ostringstream content;
            content << std::ifstream(entry.path()).rdbuf();
            const bool dumps = content.str().find(".dump(") != std::string::npos;
            const bool isHelper = entry.path().filename() == "json_text.h";
            QVERIFY2(dumps == isHelper, entry.path().c_str());
            seen += isHelper ? 1 : 0;
        }
    }
    QCOMPARE(seen, 1);
}

CANNERY_TEST(TstJsonTexts)
#include "tst_json_texts.moc"
