// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QString>
#include <QWidget>

namespace cannery::ui {

/// Facts in two columns: grey names, dark values that can be selected and copied.
class KeyValueList : public QWidget
{
    Q_OBJECT

public:
    struct Row
    {
        QString key;
        QString value;
        QString tip; ///< the exact value; may be empty

        bool operator==(const Row&) const = default;
    };

    explicit KeyValueList(QWidget* parent = nullptr);

    void setRows(const QList<Row>& rows);
    const QList<Row>& rows() const { return m_rows; }

private:
    QList<Row> m_rows;
};

} // namespace cannery::ui
