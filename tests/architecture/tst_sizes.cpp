// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_main.h"

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <vector>

namespace {

constexpr qsizetype kMostFileLines = 500;
constexpr qsizetype kMostFunctionLines = 60;

QStringList linesOf(const QString& text)
{
    QStringList lines = text.split('\n');
    if (lines.last().isEmpty()) {
        lines.removeLast();
    }
    return lines;
}

qsizetype indentOf(const QString& line)
{
    return std::distance(line.begin(), std::find_if(line.begin(), line.end(),
                                                    [](QChar letter) { return letter != ' '; }));
}

/// The text before a brace on its own line: "void Reader::read(int line) const".
QString headingBefore(const QStringList& lines, qsizetype brace)
{
    static const QRegularExpression kEnd("[;{}]$|^//|^#|^$|^(public|private|protected)\\b.*:$");
    QStringList heading;
    for (qsizetype i = brace - 1; i >= 0 && !kEnd.match(lines[i].trimmed()).hasMatch(); --i) {
        heading.prepend(lines[i].trimmed());
    }
    return heading.join(' ');
}

struct Function
{
    qsizetype line = 0; ///< the line of its opening brace, from 1
    qsizetype size = 0; ///< the number of lines between the braces
};

/// Every function of a text laid out by clang-format: the braces of functions and types are on
/// their own lines, those of statements and lambdas are not.
std::vector<Function> functionsOf(const QStringList& lines)
{
    static const QRegularExpression kType("^(template\\s*<.*>\\s*)?(class|struct|enum|union)\\b");
    struct Open
    {
        qsizetype indent;
        qsizetype line;
        bool isType;
    };
    std::vector<Open> open;
    std::vector<Function> found;
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const QString text = lines[i].trimmed();
        const qsizetype indent = indentOf(lines[i]);
        if (text == "{") {
            open.push_back({indent, i, kType.match(headingBefore(lines, i)).hasMatch()});
        } else if (text.startsWith('}')) {
            while (!open.empty() && open.back().indent > indent) {
                open.pop_back();
            }
            if (!open.empty() && open.back().indent == indent) {
                if (!open.back().isType) {
                    found.push_back({open.back().line + 1, i - open.back().line - 1});
                }
                open.pop_back();
            }
        }
    }
    return found;
}

} // namespace

/// Files and functions are short, with one subject each.
class TstSizes : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyFileAndFunctionIsShort();
    void functionsAreFound();
};

void TstSizes::everyFileAndFunctionIsShort()
{
    const QString root = QStringLiteral(CANNERY_SOURCE_DIR) + "/";
    QStringList tooLong;
    qsizetype files = 0;
    qsizetype functions = 0;
    for (const char* room : {"app", "core", "kernels", "storage", "tests", "ui"}) {
        QDirIterator found(root + room, {"*.h", "*.cpp", "*.cu", "*.cuh", "*.py", "*.sh"},
                           QDir::Files, QDirIterator::Subdirectories);
        while (found.hasNext()) {
            QFile file(found.next());
            QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(file.fileName()));
            const QString name = file.fileName().mid(root.size());
            const QStringList lines = linesOf(QString::fromUtf8(file.readAll()));
            ++files;
            if (lines.size() > kMostFileLines) {
                tooLong.append(QString("%1 has %2 lines").arg(name).arg(lines.size()));
            }
            if (name.endsWith(".py") || name.endsWith(".sh")) {
                continue;
            }
            for (const Function& function : functionsOf(lines)) {
                ++functions;
                if (function.size > kMostFunctionLines) {
                    tooLong.append(QString("%1:%2: a function of %3 lines")
                                       .arg(name)
                                       .arg(function.line)
                                       .arg(function.size));
                }
            }
        }
    }
    QVERIFY(files > 1000 && functions > 5000);
    QVERIFY2(tooLong.isEmpty(), qPrintable(tooLong.join('\n')));
}

void TstSizes::functionsAreFound()
{
    const QStringList lines = linesOf(R"(class Reader
{
public:
    explicit Reader(int line)
        : m_line(line)
    {
        read();
    }

    template <typename T>
    T next() const
    {
        if (m_line) {
            return {};
        }
        return T();
    }
};

template <typename T>
struct Row
{
    T cell;
};

void Reader::read()
{
}
)");
    QList<std::pair<qsizetype, qsizetype>> found;
    for (const Function& function : functionsOf(lines)) {
        found.append({function.line, function.size});
    }
    const QList<std::pair<qsizetype, qsizetype>> expected{{6, 1}, {12, 4}, {27, 0}};
    QCOMPARE(found, expected);
}

CANNERY_TEST(TstSizes)
#include "tst_sizes.moc"
