// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QPointer>
#include <QWidget>

class QHBoxLayout;
class QLineEdit;
class QListView;
class QModelIndex;

namespace cannery::ui {

class Label;
class PaletteModel;
struct PaletteEntry;

/// Finds anything by a few letters: a child of the window above everything else, over a scrim.
/// Arrows move, Enter runs, Tab shows where an entry is, Escape closes.
class CommandPalette : public QWidget
{
    Q_OBJECT

public:
    explicit CommandPalette(QWidget* host);

    /// Opens with these entries and takes the focus.
    void open(const QList<PaletteEntry>& entries);
    void close();
    bool isOpen() const { return isVisible(); }
    QLineEdit* field() const { return m_field; }
    PaletteModel& model() { return *m_model; }

Q_SIGNALS:
    void chosen(const QString& target);
    void whereWanted(const QString& target);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    bool handleKey(int key);
    void choose(const QModelIndex& index);
    void select(int row);
    void place();
    void search(const QString& letters);
    QWidget* makeHints();
    void followTheme();

    QWidget* m_panel;
    QHBoxLayout* m_head = nullptr;
    QHBoxLayout* m_list = nullptr;
    QWidget* m_hints = nullptr;
    QLineEdit* m_field;
    Label* m_count;
    QListView* m_view;
    PaletteModel* m_model;
    QPointer<QWidget> m_before;
};

} // namespace cannery::ui
