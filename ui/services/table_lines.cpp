// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/table_lines.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>

namespace cannery::ui {
namespace {

constexpr qsizetype kLongestLine = 4000; ///< bytes
constexpr qsizetype kLongestShown = 1000;
constexpr qint64 kPiece = 1 << 20;
constexpr qint64 kAround = 3; ///< lines on both sides

struct Words
{
    Q_DECLARE_TR_FUNCTIONS(TableLines)
};

QString shown(QByteArray line)
{
    if (line.endsWith('\r')) {
        line.chop(1);
    }
    const QString text = QString::fromUtf8(line);
    return text.size() > kLongestShown ? text.left(kLongestShown) + QStringLiteral("…") : text;
}

/// Reads a file line by line; keeps at most kLongestLine bytes of each.
class LineWalk
{
public:
    explicit LineWalk(QFile& file) : m_file(file) {}

    /// False at the end. `keep`: whether the line is needed or only skipped.
    bool next(QByteArray& line, bool keep)
    {
        line.clear();
        bool any = false;
        while (true) {
            if (m_at >= m_piece.size()) {
                m_piece = m_file.read(kPiece);
                m_at = 0;
                if (m_piece.isEmpty()) {
                    return any;
                }
            }
            any = true;
            const qsizetype end = m_piece.indexOf('\n', m_at);
            const qsizetype until = end < 0 ? m_piece.size() : end;
            if (keep && line.size() < kLongestLine) {
                line += m_piece.mid(m_at, std::min(until - m_at, kLongestLine - line.size()));
            }
            m_at = until + 1;
            if (end >= 0) {
                return true;
            }
        }
    }

private:
    QFile& m_file;
    QByteArray m_piece;
    qsizetype m_at = 0;
};

} // namespace

TableLines readTableLines(const QString& file, qint64 line)
{
    TableLines result;
    result.first = std::max<qint64>(1, line - kAround);
    QFile input(file);
    if (!QFileInfo(file).isFile() || !input.open(QIODevice::ReadOnly)) {
        result.problem =
            Words::tr("The lines of %1 cannot be shown: %2.")
                .arg(file, QFileInfo(file).isFile() ? input.errorString()
                                                    : Words::tr("it is not a regular file"));
        return result;
    }
    // The magic number of gzip (RFC 1952).
    if (input.peek(2) == QByteArray("\x1f\x8b")) {
        result.problem = Words::tr("The file is compressed; unpack it to see its lines.");
        return result;
    }
    LineWalk walk(input);
    QByteArray bytes;
    for (qint64 number = 1; number <= line + kAround; ++number) {
        if (!walk.next(bytes, number == 1 || number >= result.first)) {
            break;
        }
        if (number == 1) {
            result.header = shown(bytes);
        }
        if (number >= result.first) {
            result.lines << shown(bytes);
        }
    }
    return result;
}

} // namespace cannery::ui
