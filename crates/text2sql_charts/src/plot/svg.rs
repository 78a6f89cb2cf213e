//! Draws a chart with plotters, and gives its marks classes in the place of colours.
//!
//! plotters has no classes and no titles of marks, so a mark is drawn in a colour that stands for both: red is the
//! number of its class, green and blue the number of its title. `restyle` then writes them where the colour was.

use std::fmt::Write;

use plotters::backend::{DrawingBackend, SVGBackend};
use plotters::chart::{ChartBuilder, ChartContext, LabelAreaPosition};
use plotters::coord::cartesian::Cartesian2d;
use plotters::drawing::{DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{Circle, EmptyElement, PathElement, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoFont, RGBColor, ShapeStyle, TRANSPARENT, TextStyle};

use super::axis::Axis;
use super::marks::{Align, Caption, Class, Mark, Plot, Shape};
use super::text::{clean, escape};

type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;
type Failure<'a> = DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>;

const TICK: u32 = 4;
/// More than any axis has: plotters asks an axis for its divisions with a limit.
const MAX_TICKS: usize = 1_000;

/// Draws a chart. None if plotters cannot, which it can in memory.
pub(crate) fn render(plot: &Plot) -> Option<String> {
    let mut drawn = String::new();
    let mut titles = Vec::new();
    draw(plot, &mut drawn, &mut titles).ok()?;
    Some(restyle(plot, &drawn, &titles))
}

fn draw<'a>(
    plot: &Plot,
    drawn: &'a mut String,
    titles: &mut Vec<String>,
) -> Result<(), Failure<'a>> {
    let root = SVGBackend::with_string(drawn, (plot.width, plot.height)).into_drawing_area();
    let margins = plot.margins;
    let mut chart = ChartBuilder::on(&root)
        .margin_top(margins.top)
        .margin_right(margins.right)
        .set_label_area_size(LabelAreaPosition::Left, margins.left)
        .set_label_area_size(LabelAreaPosition::Bottom, margins.bottom)
        .build_cartesian_2d(plot.x.clone(), plot.y.clone())?;
    draw_axes(plot, &mut chart)?;
    for mark in &plot.marks {
        draw_mark(mark, &mut chart, titles)?;
    }
    for caption in &plot.captions {
        match caption {
            Caption::Text { at, text, class } => root.draw(&Text::new(
                clean(text),
                *at,
                text_style(*class, 0, Align::Left),
            ))?,
            Caption::Swatch { at: (x, y), series } => root.draw(&Rectangle::new(
                [(*x, *y), (x + 10, y + 10)],
                colour(Class::Series(*series), 0).filled(),
            ))?,
        }
    }
    root.present()
}

fn draw_axes<'b>(plot: &Plot, chart: &mut Chart<'_, 'b>) -> Result<(), Failure<'b>> {
    let has_ticks = |axis: &Axis| !axis.ticks.is_empty();
    if !has_ticks(&plot.x) && !has_ticks(&plot.y) {
        return Ok(());
    }
    let mut mesh = chart.configure_mesh();
    mesh.light_line_style(TRANSPARENT)
        .bold_line_style(colour(Class::Grid, 0))
        .axis_style(colour(Class::Axis, 0))
        .label_style(text_style(Class::Label, 0, Align::Left))
        .x_labels(MAX_TICKS)
        .y_labels(MAX_TICKS)
        .set_all_tick_mark_size(TICK);
    if !plot.x.has_grid {
        mesh.disable_x_mesh();
    }
    if !plot.y.has_grid {
        mesh.disable_y_mesh();
    }
    if !has_ticks(&plot.x) {
        mesh.disable_x_axis();
    }
    if !has_ticks(&plot.y) {
        mesh.disable_y_axis();
    }
    mesh.draw()
}

fn draw_mark<'b>(
    mark: &Mark,
    chart: &mut Chart<'_, 'b>,
    titles: &mut Vec<String>,
) -> Result<(), Failure<'b>> {
    let title = match &mark.title {
        // Zero is no title.
        Some(title) if titles.len() < usize::from(u16::MAX) => {
            titles.push(clean(title));
            titles.len()
        }
        _ => 0,
    };
    let style = colour(mark.class, title);
    match &mark.shape {
        Shape::Bar { from, to } => {
            let bar = Rectangle::new([*from, *to], style.filled());
            chart.draw_series(std::iter::once(bar))?;
        }
        Shape::Line(points) => {
            let line = PathElement::new(points.clone(), ShapeStyle::from(&style).stroke_width(2));
            chart.draw_series(std::iter::once(line))?;
        }
        Shape::Dot { at, radius, down } => {
            let dot = EmptyElement::at(*at) + Circle::new((0, *down), *radius, style.filled());
            chart.draw_series(std::iter::once(dot))?;
        }
        Shape::Text {
            at,
            offset,
            text,
            align,
        } => {
            let text = Text::new(clean(text), *offset, text_style(mark.class, title, *align));
            chart.draw_series(std::iter::once(EmptyElement::at(*at) + text))?;
        }
    }
    Ok(())
}

fn text_style(class: Class, title: usize, align: Align) -> TextStyle<'static> {
    let anchor = match align {
        Align::Left => HPos::Left,
        Align::Right => HPos::Right,
    };
    ("sans-serif", 12)
        .into_font()
        .color(&colour(class, title))
        .pos(Pos::new(anchor, VPos::Center))
}

const PLAIN: [Class; 9] = [
    Class::Axis,
    Class::Grid,
    Class::Label,
    Class::Heading,
    Class::Note,
    Class::Soft,
    Class::Whisker,
    Class::Diagonal,
    Class::Missing,
];
/// Numbers of classes from here on are series.
const FIRST_SERIES: usize = 16;
const SERIES: usize = 8;

fn colour(class: Class, title: usize) -> RGBColor {
    let number = match class {
        Class::Series(series) => FIRST_SERIES + series % SERIES,
        class => PLAIN
            .iter()
            .position(|plain| *plain == class)
            .unwrap_or_default(),
    };
    let byte = |number: usize| u8::try_from(number & 0xff).unwrap_or_default();
    RGBColor(byte(number), byte(title >> 8), byte(title))
}

fn class_name(number: usize) -> String {
    match PLAIN.get(number) {
        Some(Class::Axis) => "chart-axis".to_owned(),
        Some(Class::Grid) => "chart-grid".to_owned(),
        Some(Class::Heading) => "chart-heading".to_owned(),
        Some(Class::Note) => "chart-note".to_owned(),
        Some(Class::Soft) => "chart-soft".to_owned(),
        Some(Class::Whisker) => "chart-whisker".to_owned(),
        Some(Class::Diagonal) => "chart-diagonal".to_owned(),
        Some(Class::Missing) => "chart-missing".to_owned(),
        Some(Class::Label | Class::Series(_)) => "chart-label".to_owned(),
        None => format!("chart-series-{}", number.saturating_sub(FIRST_SERIES) + 1),
    }
}

/// Class and title that a colour stands for.
fn meaning(colour: &str) -> Option<(usize, usize)> {
    let number = u32::from_str_radix(colour.strip_prefix('#')?, 16).ok()?;
    Some(((number >> 16) as usize, (number & 0xffff) as usize))
}

/// Writes the drawing of plotters again: its own root, classes and titles in the place of colours, and no fonts.
/// plotters writes a tag a line, and escapes texts, which `clean` has made one line.
fn restyle(plot: &Plot, drawn: &str, titles: &[String]) -> String {
    let mut svg = String::with_capacity(drawn.len());
    let namespace = if plot.is_document {
        " xmlns=\"http://www.w3.org/2000/svg\""
    } else {
        ""
    };
    let _ = write!(
        svg,
        "<svg{namespace} class=\"chart\" viewBox=\"0 0 {} {}\" role=\"img\">\n<title>{}</title>\n<desc>{}</desc>\n",
        plot.width,
        plot.height,
        escape(&clean(&plot.title)),
        escape(&clean(&plot.description))
    );
    let mut open_text = None;
    for line in drawn.lines() {
        let Some(tag) = line.strip_prefix('<') else {
            // The text of an element that is open.
            svg.push_str(line);
            continue;
        };
        if tag.starts_with("svg") {
            continue;
        }
        if tag.starts_with('/') {
            if let Some(title) = open_text.take().flatten() {
                let _ = write!(svg, "<title>{title}</title>");
            }
            svg.push_str(line);
            svg.push('\n');
            continue;
        }
        let is_closed = tag.ends_with("/>");
        let title = write_tag(&mut svg, tag.trim_end_matches("/>").trim_end_matches('>'))
            .and_then(|number| titles.get(number.checked_sub(1)?))
            .map(|title| escape(title));
        match (is_closed, title) {
            (true, None) => svg.push_str("/>\n"),
            (true, Some(title)) => {
                let name = tag.split(' ').next().unwrap_or_default();
                let _ = writeln!(svg, "><title>{title}</title></{name}>");
            }
            (false, title) => {
                svg.push('>');
                open_text = Some(title);
            }
        }
    }
    svg
}

/// Writes an opened tag without its end, and returns the number of its title.
fn write_tag(svg: &mut String, tag: &str) -> Option<usize> {
    let mut parts = tag.split("=\"");
    let first = parts.next().unwrap_or_default();
    let (name, mut key) = first.split_once(' ').unwrap_or((first, ""));
    let _ = write!(svg, "<{name}");
    let mut found = None;
    for part in parts {
        let (value, next) = part.split_once('"').unwrap_or((part, ""));
        match key {
            "fill" | "stroke" => found = found.or_else(|| meaning(value)),
            "opacity" | "font-family" | "font-size" | "stroke-width" => {}
            _ => {
                let _ = write!(svg, " {key}=\"{}\"", value.trim_end());
            }
        }
        key = next.trim();
    }
    let (class, title) = found?;
    let _ = write!(svg, " class=\"{}\"", class_name(class));
    Some(title)
}
