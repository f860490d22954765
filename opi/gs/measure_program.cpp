// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/gs/measure_program.h"

namespace opispool::opi {

// Everything lies in global memory: a job's `restore` and `exitserver` undo only the other kind. Words a job could
// redefine are bound, or looked up while this is read (`//`). `cvs` gives six digits: the rest follows behind a colon.
std::string measure_program(const std::string& nonce) {
    return R"(true setglobal 40 dict begin
/text 64 string def
/openMarks 1 array def openMarks 0 0 put /segments 1 array def /rec 3 array def /im matrix def /now matrix def
/start {flush (\n)" +
           nonce + R"( ) print print} bind def
/num {dup type /booleantype eq {pop 0} if dup //text cvs dup print (:) print
  cvr sub //text cvs print ( ) print} bind def
/six {0 1 5 {1 index exch get //num exec} for pop} bind def
/xy {exch //num exec //num exec} bind def
/segment {print //segments 0 2 copy get 1 add dup 200 gt {stop} if put} bind def
/path {(| ) print //segments 0 0 put gsave mark {initmatrix clippath
  {(m ) //segment exec //xy exec} {(l ) //segment exec //xy exec}
  {(c ) //segment exec 6 -2 roll //xy exec 4 -2 roll //xy exec //xy exec} {(h ) print} pathforall
  } stopped {$error /newerror false put (? ) print} if cleartomark grestore (\n) print flush} bind def
/ctm {//now currentmatrix //six exec} bind def
/emit {(I ) //start exec 0 1 2 {//rec exch get //num exec} for //im //six exec //ctm exec //path exec} bind def
/set {//rec 3 1 roll put} bind def
/guarded {mark exch stopped {$error /newerror false put} if cleartomark} bind def
/ofDict {1 index dup /DataDict known {/DataDict get} if dup /Width get 1 exch //set exec
  dup /Height get 2 exch //set exec /ImageMatrix get //im copy pop //emit exec} bind def
/ofFive {1 6 index //set exec 2 5 index //set exec 2 index //im copy pop //emit exec} bind def
/ofColor {2 index {1 index} {1} ifelse dup 4 add index //im copy pop
  dup 6 add index 2 exch //set exec dup 7 add index 1 exch //set exec pop //emit exec} bind def
/image1 {0 exch //set exec //openMarks 0 get 0 gt count 0 gt and {dup type /dicttype eq
  {//ofDict //guarded exec} {count 5 ge {//ofFive //guarded exec} if} ifelse} if} bind def
/color1 {0 0 //set exec //openMarks 0 get 0 gt count 7 ge and {//ofColor //guarded exec} if} bind def
systemdict /image {0 //image1 exec //image} bind executeonly put
systemdict /imagemask {1 //image1 exec //imagemask} bind executeonly put
systemdict /colorimage {//color1 exec //colorimage} bind executeonly put
systemdict /.opispoolBegin {//openMarks 0 2 copy get 1 add put (B ) //start exec //num exec //ctm exec
  //now defaultmatrix //six exec //path exec} bind executeonly put
systemdict /.opispoolEnd {//openMarks 0 2 copy get 1 sub put (E ) //start exec //num exec (\n) print flush} bind executeonly put
end false setglobal systemdict readonly pop
)";
}

}  // namespace opispool::opi
